package dev.jwarp.benchmarks.pieces;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.annotations.Param;

@DisplayName("A benchmark of round trips")
class RoundTripBenchmarkTest {
    private static final int OPERATIONS = 40;

    static String[] contenders() throws NoSuchFieldException {
        return RoundTripBenchmark.class
                .getField("contender")
                .getAnnotation(Param.class)
                .value();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("contenders")
    @DisplayName("moves messages of each contender in both directions, with warm and with cold caches")
    void moves(String contender) throws Exception {
        RoundTripBenchmark warm = new RoundTripBenchmark();
        ColdRoundTripBenchmark cold = new ColdRoundTripBenchmark();
        for (RoundTripBenchmark each : new RoundTripBenchmark[] {warm, cold}) {
            each.contender = contender;
            each.open();
        }
        assertThatCode(() -> {
                    for (int i = 0; i < OPERATIONS; i++) {
                        warm.exchange();
                        cold.displace();
                        cold.exchange();
                    }
                })
                .doesNotThrowAnyException();
        warm.close();
        cold.close();
    }
}
