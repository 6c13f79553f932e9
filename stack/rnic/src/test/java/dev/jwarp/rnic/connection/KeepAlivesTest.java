package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.KeepAlive;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Keep-alive")
class KeepAlivesTest {
    @ParameterizedTest
    @CsvSource({
        "0,1000,1",
        "-1,1000,1",
        "1000,0,1",
        "32768000,1000,1",
        "1000,32768000,1",
        "1000,1000,0",
        "1000,1000,128"
    })
    @DisplayName("rejects times that no operating system supports")
    void badTimes(long idleMillis, long intervalMillis, int probes) {
        KeepAlive bad = new KeepAlive(Duration.ofMillis(idleMillis), Duration.ofMillis(intervalMillis), probes);
        ConnectionParameters parameters = ConnectionParameters.DEFAULT.withKeepAlive(bad);
        assertThatThrownBy(() -> ConnectionTerms.keepAlive(parameters))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("keep-alive");
    }

    @Test
    @DisplayName("uses whole seconds, rounded up")
    void seconds() {
        KeepAlive wanted = new KeepAlive(Duration.ofMillis(1), Duration.ofMillis(2001), 127);
        assertThat(ConnectionTerms.keepAlive(ConnectionParameters.DEFAULT.withKeepAlive(wanted)))
                .isEqualTo(new dev.jwarp.llp.KeepAliveTimes(true, 1, 3, 127));
        assertThat(ConnectionTerms.keepAlive(ConnectionParameters.DEFAULT)).isNull();
        assertThat(ConnectionTerms.keepAlive(ConnectionParameters.DEFAULT.withKeepAlive(KeepAlive.OFF)))
                .isEqualTo(dev.jwarp.llp.KeepAliveTimes.OFF);
    }
}
