package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.transport.udp.congestion.NewReno;
import dev.jwarp.transport.udp.congestion.RttEstimator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The sending half of a channel (datagram-iWARP §11) measures the round trip")
class RdSenderTest {
    private static final long MILLI = RdSim.millis(1);

    private final RdUpper upper = new RdUpper(17, () -> 0);
    private final RdUpper.Message message = upper.post(new DatagramPeer(), 100);
    private final RttEstimator path = new RttEstimator();
    private final RdSender sender = new RdSender(64);
    private final NewReno control = new NewReno();
    private final long unknown = path.smoothed();

    RdSenderTest() {
        message.sent = 100;
        sender.bind(path, control, 100, 0, 64, 0);
    }

    private static RdFields ack(int ack, int window) {
        RdFields said = new RdFields();
        said.ack = ack;
        said.window = window;
        return said;
    }

    @Test
    @DisplayName("by a datagram that was sent once and requested the ack")
    void sample() {
        sender.onSent(message, 0, 100, true, 0);
        sender.onAck(ack(1, 64), upper, 3 * MILLI);
        assertThat(path.smoothed()).isEqualTo(3 * MILLI);
    }

    @Test
    @DisplayName("not by a datagram without a request: its ack may have been delayed")
    void notAsked() {
        sender.onSent(message, 0, 100, true, 0);
        sender.onSent(message, 1, 100, false, 0);
        sender.onAck(ack(2, 64), upper, 3 * MILLI);
        assertThat(path.smoothed()).isEqualTo(unknown);
    }

    @Tag("DG-11.3-18")
    @Test
    @DisplayName("not by a repeated datagram, which is ambiguous")
    void repeated() {
        sender.onSent(message, 0, 100, true, 0);
        long probeAt = sender.nextTimeout(RdSim.millis(10_000));
        sender.onTimeout(RdSim.millis(10_000), Integer.MAX_VALUE, probeAt);
        assertThat(sender.selectRepeat()).isTrue();
        assertThat(sender.psn()).isZero();
        sender.onSent(message, 0, 100, true, probeAt);
        sender.onAck(ack(1, 64), upper, probeAt + MILLI);
        assertThat(path.smoothed()).isEqualTo(unknown);
    }

    @Tag("DG-11.3-18")
    @Test
    @DisplayName("and an ack sooner than a round trip after a repetition proves no loss of datagrams in between")
    void earlyAck() {
        path.sample(4 * MILLI, 0);
        sender.onSent(message, 0, 100, true, 0);
        long probeAt = sender.nextTimeout(RdSim.millis(10_000));
        for (int i = 1; i < 4; i++) {
            sender.onSent(message, i, 100, false, MILLI);
        }
        probeAt = Math.max(probeAt, sender.nextTimeout(RdSim.millis(10_000)));
        sender.onTimeout(RdSim.millis(10_000), Integer.MAX_VALUE, probeAt);
        sender.selectRepeat();
        sender.onSent(message, 0, 100, true, probeAt);
        // The ack of the first transmission comes 1 ms after the second: 1 to 3 do not count as lost.
        sender.onAck(ack(1, 64), upper, probeAt + MILLI);
        assertThat(sender.wantsRepeat()).isFalse();
    }

    @Tag("DG-11.4-1")
    @Test
    @DisplayName("and sends ten datagrams before the first acknowledgement of its channel, however small they are")
    void firstFlight() {
        sender.beFresh();
        for (int i = 0; i < 10; i++) {
            assertThat(sender.admits()).isTrue();
            sender.onSent(message, i, 10, false, 0);
        }
        assertThat(sender.admits()).isFalse();
        sender.onAck(ack(1, 64), upper, MILLI);
        assertThat(sender.admits()).isTrue();
    }

    @Tag("DG-11.3-5")
    @Test
    @DisplayName("and ignores SACK words and window of an old acknowledgement")
    void overtaken() {
        for (int i = 0; i < 8; i++) {
            sender.onSent(message, i, 10, false, 0);
        }
        sender.onAck(ack(2, 64), upper, MILLI);
        RdFields old = ack(1, 1);
        old.words[0] = -1L << 58; // PSNs 2 to 7: the whole flight
        old.count = 1;
        assertThat(sender.onAck(old, upper, 2 * MILLI)).isTrue();
        assertThat(sender.peerWindow()).isEqualTo(64);
        assertThat(upper.succeeded()).isZero();
        // If it had acknowledged 2, an RD-ACK without 2 would report a discard, and 2 would be repeated.
        RdFields now = ack(2, 64);
        sender.onAck(now, upper, 3 * MILLI);
        sender.onReadiness(now, 3 * MILLI);
        assertThat(sender.wantsRepeat()).isFalse();
    }

    @Tag("DG-11.3-2")
    @Test
    @DisplayName("and sends at most the peer's present window")
    void window() {
        for (int i = 0; i < 3; i++) {
            sender.onSent(message, i, 100, false, 0);
        }
        sender.onAck(ack(1, 2), upper, MILLI);
        assertThat(sender.admits()).isFalse();
        sender.onAck(ack(1, 3), upper, MILLI);
        assertThat(sender.admits()).isTrue();
    }

    @Tag("DG-11.3-14")
    @Test
    @DisplayName("and counts a datagram that only a probe delivered as lost: the window shrinks (RFC 8985 §7.4)")
    void probeBrings() {
        path.sample(4 * MILLI, 0);
        for (int i = 0; i < 8; i++) {
            sender.onSent(message, i, 100, i == 7, 0);
        }
        long before = control.window();
        long probeAt = sender.nextTimeout(RdSim.millis(10_000));
        sender.onTimeout(RdSim.millis(10_000), Integer.MAX_VALUE, probeAt);
        for (int i = 0; i < 2; i++) {
            assertThat(sender.selectRepeat()).isTrue();
            sender.onSent(message, sender.repeatIndex(), 100, true, probeAt);
        }
        assertThat(control.window()).isEqualTo(before);
        sender.onAck(ack(8, 64), upper, probeAt + 5 * MILLI);
        assertThat(control.window()).isLessThan(before);
    }
}
