package dev.jwarp.transport.udp.congestion;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The window of the control that tolerates loss")
class LossTolerantTest {
    private static final int DATAGRAM = 1_500;
    private static final long BASE = MILLISECONDS.toNanos(4);

    private final LossTolerant usual = new LossTolerant(10);
    private int serial;

    LossTolerantTest() {
        usual.begin(DATAGRAM);
    }

    private int window() {
        return (int) (usual.window() / DATAGRAM);
    }

    /** One round: so many sent and lost, so long the shortest round trip. */
    private void round(int sent, int lost, long roundTrip) {
        for (int i = 0; i < sent; i++) {
            usual.onSent(DATAGRAM);
            serial++;
        }
        LossSample loss = new LossSample();
        loss.datagrams = lost;
        usual.onLost(loss);
        AckSample ack = new AckSample();
        ack.ackedBytes = (long) (sent - lost) * DATAGRAM;
        ack.roundTrip = roundTrip;
        ack.smoothed = roundTrip;
        ack.least = BASE;
        ack.newestSerial = serial;
        ack.nextSerial = serial + 1;
        ack.windowLimited = true;
        usual.onAcked(ack);
        serial++;
    }

    /** Out of the start, with a window of 85. */
    private void started() {
        while (window() < 100) {
            round(20, 0, BASE);
        }
        round(0, 0, BASE + BASE);
        assertThat(window()).isBetween(80, 100);
    }

    @Tag("DG-11.4-1")
    @Test
    @DisplayName("begins with 10, and grows by what is acknowledged")
    void start() {
        assertThat(window()).isEqualTo(10);
        round(10, 0, BASE);
        assertThat(window()).isEqualTo(20);
    }

    @Test
    @DisplayName("does not grow while it is not used up")
    void idle() {
        AckSample ack = new AckSample();
        ack.ackedBytes = 5 * DATAGRAM;
        usual.onAcked(ack);
        assertThat(window()).isEqualTo(10);
    }

    @Test
    @DisplayName("takes loss up to the tolerance for the path's own")
    void tolerated() {
        started();
        int before = window();
        round(100, 10, BASE);
        assertThat(window()).isBetween(before + before / 16, before + before / 16 + 1);
    }

    @Test
    @DisplayName("shrinks by half the share lost beyond the tolerance")
    void heavyLoss() {
        started();
        round(64, 0, BASE); // what was counted so far
        int before = window();
        round(100, 20, BASE);
        assertThat(window()).isEqualTo((int) (before * 0.9));
    }

    @Test
    @DisplayName("does not judge loss on fewer than 64 datagrams: small rounds add up")
    void smallRounds() {
        started();
        round(64, 0, BASE);
        int before = window();
        round(10, 9, BASE);
        assertThat(window()).as("one small round alone").isGreaterThan(before);
        for (int i = 0; i < 5; i++) {
            round(10, 0, BASE);
        }
        before = window();
        round(10, 0, BASE);
        assertThat(window()).as("9 of 70").isLessThan(before);
    }

    @Test
    @DisplayName("shrinks by 0.85 when the shortest round trip of a round shows a queue")
    void queue() {
        started();
        int before = window();
        round(10, 0, BASE + BASE / 2);
        assertThat(window()).as("at the mark").isGreaterThan(before);
        before = window();
        round(10, 0, BASE + BASE / 2 + 1);
        assertThat(window()).isEqualTo((int) (before * 0.85));
    }

    @Test
    @DisplayName("is 4 after time-outs without an answer, and never less")
    void least() {
        started();
        usual.onPersistentLoss(serial);
        assertThat(window()).isEqualTo(4);
        round(100, 100, BASE);
        assertThat(window()).isEqualTo(4);
        round(10, 0, BASE);
        assertThat(window()).isEqualTo(5);
    }
}
