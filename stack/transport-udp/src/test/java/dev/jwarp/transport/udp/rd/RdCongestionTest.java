package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The congestion window (datagram-iWARP §11)")
class RdCongestionTest {
    private static final long BASE = RdSim.millis(4);
    private static final int PEER = 256;

    private final RdCongestion usual = new RdCongestion(10);
    private int serial;

    /** One round: so many sent and lost, so long the shortest round trip. */
    private void round(RdCongestion congestion, int sent, int lost, long roundTrip) {
        for (int i = 0; i < sent; i++) {
            congestion.onSent();
            serial++;
        }
        for (int i = 0; i < lost; i++) {
            congestion.onLost();
        }
        congestion.onUsedUp();
        congestion.onRoundTrip(roundTrip);
        congestion.onAcked(sent - lost, PEER);
        congestion.onSerialAcked(serial, serial + 1, BASE, PEER);
        serial++;
    }

    /** Out of the start, with a window of 85. */
    private void started() {
        while (usual.window() < 100) {
            round(usual, 20, 0, BASE);
        }
        round(usual, 0, 0, BASE + BASE);
        assertThat(usual.window()).isBetween(80, 100);
    }

    @Tag("DG-11.4-1")
    @Test
    @DisplayName("begins with 10, grows by what is acknowledged, and never beyond the peer's window")
    void start() {
        assertThat(usual.window()).isEqualTo(10);
        round(usual, 10, 0, BASE);
        assertThat(usual.window()).isEqualTo(20);
        for (int i = 0; i < 20; i++) {
            round(usual, 50, 0, BASE);
        }
        assertThat(usual.window()).isEqualTo(PEER);
    }

    @Test
    @DisplayName("does not grow while it is not used up")
    void idle() {
        usual.onAcked(5, PEER);
        assertThat(usual.window()).isEqualTo(10);
    }

    @Test
    @DisplayName("takes loss up to the tolerance for the path's own")
    void tolerated() {
        started();
        int before = usual.window();
        round(usual, 100, 10, BASE);
        assertThat(usual.window()).isEqualTo(before + before / 16);
    }

    @Test
    @DisplayName("shrinks by half the share lost beyond the tolerance")
    void heavyLoss() {
        started();
        round(usual, 64, 0, BASE); // what was counted so far
        int before = usual.window();
        round(usual, 100, 20, BASE);
        assertThat(usual.window()).isEqualTo((int) (before * 0.9));
    }

    @Test
    @DisplayName("does not judge loss on fewer than 64 datagrams: small rounds add up")
    void smallRounds() {
        started();
        round(usual, 64, 0, BASE);
        int before = usual.window();
        round(usual, 10, 9, BASE);
        assertThat(usual.window()).as("one small round alone").isGreaterThan(before);
        for (int i = 0; i < 5; i++) {
            round(usual, 10, 0, BASE);
        }
        before = usual.window();
        round(usual, 10, 0, BASE);
        assertThat(usual.window()).as("9 of 70").isLessThan(before);
    }

    @Test
    @DisplayName("shrinks by 0.85 when the shortest round trip of a round shows a queue")
    void queue() {
        started();
        int before = usual.window();
        round(usual, 10, 0, BASE + BASE / 2);
        assertThat(usual.window()).as("at the mark").isGreaterThan(before);
        before = usual.window();
        round(usual, 10, 0, BASE + BASE / 2 + 1);
        assertThat(usual.window()).isEqualTo((int) (before * 0.85));
    }

    @Test
    @DisplayName("with tolerance 0: each round with a loss counts, times 0.7")
    void shy() {
        RdCongestion shy = new RdCongestion(0);
        for (int i = 0; i < 5; i++) {
            round(shy, 20, 0, BASE);
        }
        int before = shy.window();
        round(shy, 20, 1, BASE);
        assertThat(shy.window()).as("of what the start had added").isEqualTo((int) ((before + 19) * 0.7));
    }

    @Test
    @DisplayName("is 4 after three probes without an answer, and never less")
    void least() {
        started();
        usual.collapse();
        assertThat(usual.window()).isEqualTo(RdCongestion.LEAST);
        round(usual, 100, 100, BASE);
        assertThat(usual.window()).isEqualTo(RdCongestion.LEAST);
        round(usual, 10, 0, BASE);
        assertThat(usual.window()).isEqualTo(RdCongestion.LEAST + 1);
    }
}
