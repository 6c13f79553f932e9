package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The round trip (datagram-iWARP §11)")
class RoundTripTest {
    private final RoundTrip path = new RoundTrip();

    @Test
    @DisplayName("is the first sample, then moves by an eighth")
    void smoothed() {
        path.sample(8_000_000, 0);
        assertThat(path.smoothed()).isEqualTo(8_000_000);
        path.sample(16_000_000, 1);
        assertThat(path.smoothed()).isEqualTo(9_000_000);
        assertThat(path.reordering()).isEqualTo(9_000_000 + 9_000_000 / 8);
    }

    @Tag("DG-11.3-4")
    @Test
    @DisplayName("probes after SRTT + 4 RTTVAR + 2 ms, from 5 ms to 1 s, twice as long each time")
    void probe() {
        path.sample(8_000_000, 0);
        assertThat(path.probe()).isEqualTo(8_000_000 + 4 * 4_000_000 + 2_000_000);
        assertThat(path.probe(2)).isEqualTo(4 * path.probe());
        assertThat(path.probe(30)).isEqualTo(RdSim.millis(1000));
        RoundTrip loopback = new RoundTrip();
        loopback.sample(20_000, 0);
        assertThat(loopback.probe()).isEqualTo(RdSim.millis(5));
        RoundTrip moon = new RoundTrip();
        moon.sample(2_600_000_000L, 0);
        assertThat(moon.probe()).isEqualTo(RdSim.millis(1000));
    }

    @Test
    @DisplayName("the least is forgotten after 5 to 10 seconds")
    void least() {
        assertThat(path.least()).isZero();
        path.sample(1_000_000, 0);
        path.sample(3_000_000, RdSim.millis(4000));
        assertThat(path.least()).isEqualTo(1_000_000);
        path.sample(3_000_000, RdSim.millis(6000));
        assertThat(path.least()).isEqualTo(1_000_000);
        path.sample(3_000_000, RdSim.millis(11_001));
        assertThat(path.least()).isEqualTo(3_000_000);
    }
}
