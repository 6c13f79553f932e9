package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The round trip")
class RttEstimatorTest {
    private final RttEstimator path = new RttEstimator();

    private static long millis(long millis) {
        return MILLISECONDS.toNanos(millis);
    }

    @Test
    @DisplayName("is the first sample, then moves by an eighth (RFC 6298 §2)")
    void smoothed() {
        assertThat(path.smoothed()).isZero();
        path.sample(millis(8), 0);
        assertThat(path.smoothed()).isEqualTo(millis(8));
        path.sample(millis(16), 1);
        assertThat(path.smoothed()).isEqualTo(millis(9));
    }

    @Tag("DG-11.3-4")
    @Test
    @DisplayName("gives a time-out of SRTT + 4 RTTVAR + 2 ms, not less than 5 ms (RFC 9002 §6.2.1)")
    void timeout() {
        path.sample(millis(8), 0);
        assertThat(path.timeout()).isEqualTo(millis(8 + 4 * 4 + 2));
        RttEstimator loopback = new RttEstimator();
        loopback.sample(20_000, 0);
        assertThat(loopback.timeout()).isEqualTo(millis(5));
        RttEstimator moon = new RttEstimator();
        moon.sample(millis(2_600), 0);
        assertThat(moon.timeout()).as("more than 32 bits").isEqualTo(millis(3 * 2_600 + 2));
    }

    @Test
    @DisplayName("gives a time-out of a second while it is unknown (RFC 8961 §4)")
    void unknown() {
        assertThat(path.timeout()).isEqualTo(SECONDS.toNanos(1));
        assertThat(path.timeout(1)).isEqualTo(SECONDS.toNanos(2));
    }

    @Tag("DG-11.3-4")
    @Test
    @DisplayName("doubles its time-out each time, up to a minute (RFC 8961 §4, RFC 6298 §5)")
    void backOff() {
        path.sample(millis(8), 0);
        for (int i = 0; i < 11; i++) {
            assertThat(path.timeout(i)).isEqualTo(millis(26) << i);
        }
        assertThat(path.timeout(12)).isEqualTo(SECONDS.toNanos(60));
        assertThat(path.timeout(1_000)).isEqualTo(SECONDS.toNanos(60));
    }

    @Test
    @DisplayName("has a least that is forgotten after 5 to 10 seconds")
    void least() {
        assertThat(path.least()).isZero();
        path.sample(millis(1), 0);
        path.sample(millis(3), millis(4_000));
        assertThat(path.least()).isEqualTo(millis(1));
        path.sample(millis(3), millis(6_000));
        assertThat(path.least()).isEqualTo(millis(1));
        path.sample(millis(3), millis(11_001));
        assertThat(path.least()).isEqualTo(millis(3));
    }
}
