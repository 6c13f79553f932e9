package dev.jwarp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Time-outs of datagram queue pairs")
class DatagramTimeoutsTest {
    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 999_999, 3_600_000_000_001L, Long.MAX_VALUE})
    @DisplayName("out of range are rejected with the range in the message")
    void refused(long nanos) {
        refused(Duration.ofNanos(nanos));
    }

    @Test
    @DisplayName("that are infinite are rejected, too")
    void forEver() {
        refused(ChronoUnit.FOREVER.getDuration());
        refused(ChronoUnit.FOREVER.getDuration().negated());
    }

    private static void refused(Duration value) {
        assertThatThrownBy(() -> DatagramTimeouts.DEFAULT.withRead(value))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("1 ms to 3600 s");
    }
}
