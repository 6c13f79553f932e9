package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.epoll.Epoll;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Datagrams composed from a region")
class ComposedDatagramsTest {
    private static final int ROUNDS = 3;

    @ParameterizedTest
    @ValueSource(strings = {"copy", "gather", "iovec"})
    @DisplayName("come as they are, one by one and all of a message with one call")
    void ways(String way) throws Exception {
        assumeTrue(Epoll.isAvailable(), "UDP_SEGMENT needs Netty's native library");
        for (String size : List.of("message=1408", "message=63000", "message=65400 datagram=65507")) {
            List<String> words = List.of(("way=" + way + " " + size).split(" ", -1));
            try (ComposedDatagrams contender = new ComposedDatagrams(Arguments.of(words))) {
                for (int i = 0; i < ROUNDS; ) { // a busy machine may give this process no processor in all of a round
                    i += contender.round(TimeUnit.MILLISECONDS.toNanos(20)).operations() > 0 ? 1 : 0;
                }

                assertThat(contender.sound()).as(size).isTrue();
            }
        }
    }
}
