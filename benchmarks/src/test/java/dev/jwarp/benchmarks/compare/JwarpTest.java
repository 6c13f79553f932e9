package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.benchmarks.compare.Contender.Sample;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("jwarp as a contender")
class JwarpTest {
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "service=rd op=send size=1024 latency=no wait=threaded",
                "service=rd op=write size=65536 latency=no wait=block mtu=65535",
                "service=ud op=write size=65536 latency=no wait=block mtu=1436",
                "service=rc op=write size=65536 latency=no wait=block jwarp.mpa.emss=1408"
            })
    @DisplayName("moves messages of each service, and loses none where they are reliable")
    void streams(String words) throws Exception {
        try (Contender contender = Contenders.open("jwarp-datagrams", Arguments.of(List.of(words.split(" "))))) {
            Sample sample;
            do { // a busy machine may give this process no processor in all of a round
                sample = contender.round(TimeUnit.MILLISECONDS.toNanos(100));
                assertThat(words.contains("service=ud") ? 0 : sample.lost()).isZero();
            } while (sample.operations() == 0);
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "plain-verbs api=verbs wait=spin",
                "plain-verbs api=disni wait=block",
                "plain-verbs api=disni wait=block stream=yes",
                "calls with=darpc polling=yes",
                "calls with=grpc"
            })
    @DisplayName("has its far end in another process, and can do round after round")
    void processes(String words) throws Exception {
        List<String> all = List.of(words.split(" "));
        try (Contender contender = Contenders.open(all.get(0), Arguments.of(all.subList(1, all.size())))) {
            for (int i = 0; i < 3; i++) {
                assertThat(contender.round(1).operations()).isPositive();
            }
        }
    }
}
