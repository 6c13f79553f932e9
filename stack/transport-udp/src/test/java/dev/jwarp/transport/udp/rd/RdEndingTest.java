package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.LOC_PROT_ERR;
import static dev.jwarp.llp.OperationStatus.PEER_RESET;
import static dev.jwarp.llp.OperationStatus.REM_ACCESS_ERR;
import static dev.jwarp.llp.OperationStatus.SUCCESS;
import static dev.jwarp.llp.OperationStatus.WR_FLUSH_ERR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.NotifyBody;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("The end of a channel (datagram-iWARP §11)")
class RdEndingTest extends RdPair {
    private static final TerminateCode CODE = TerminateCode.DDP_BASE_BOUNDS;

    private final RdHost c = new RdHost(sim, 3, 19);

    RdEndingTest() {
        sim.record = true;
        a.post(b, 1, 1);
        a.post(c, 1, 1);
        settle(a);
        sim.run(RdSim.millis(5));
    }

    private void settle(RdHost host) {
        sim.settle(60_000, host);
    }

    /** A further message from a to c is delivered. */
    private void othersGoOn() {
        a.post(c, 3, 1);
        sim.await(() -> a.upper.last().status == SUCCESS, 1000);
    }

    /** The next message from a to b is a violation. */
    private void violate() {
        b.upper.refusal = CODE;
        a.post(b, 1, 1);
        settle(a);
    }

    private RdPacket reset(RdHost from, RdHost to, boolean reflected, RdResetReason reason, int key) {
        RdPacket p = new RdPacket(Kind.RD_RESET, from.address, to.address);
        p.shim.addressed(to.number, from.number, key).flags(true, false, false, false);
        p.reflected = reflected;
        p.reason = reason;
        return p;
    }

    @Tag("DG-11.1-4")
    @Tag("DG-11.6-1")
    @Test
    @DisplayName("D datagram with a tag of no channel: RD-RESET 1 reflected; sent messages fail with PEER_RESET, others"
            + " continue")
    void peerLostItsState() {
        b.kill();
        RdHost again = new RdHost(sim, 2, 18);
        a.post(b, 1, 1);
        a.post(b, 1000, 1); // more than a window: not all of it leaves at once
        a.post(b, 1, 1);
        settle(a);
        List<RdUpper.Message> posted = a.upper.messages;
        assertThat(posted.get(2).status).isEqualTo(PEER_RESET);
        assertThat(posted.get(3).status).isEqualTo(PEER_RESET);
        assertThat(posted.get(4).status).isEqualTo(SUCCESS);
        assertThat(again.upper.from(a.upper)).containsExactly(RdUpper.mark(4, 0));
        assertThat(sim.sent(again, Kind.RD_RESET)).isNotEmpty().allMatch(p -> p.reflected);
        othersGoOn();
    }

    @Test
    @DisplayName("the same while RD-RESETs are rate-limited: later ones have the effect")
    void resetsLimited() {
        b.kill();
        RdHost again = new RdHost(sim, 2, 18);
        again.limitsAnswers = true;
        a.post(b, 1, 2);
        sim.run(RdSim.millis(50));
        again.limitsAnswers = false;
        a.post(b, 1, 1);
        settle(a);
        assertThat(a.upper.lost).extracting(RdUpper.Lost::status).containsExactly(PEER_RESET);
    }

    @Tag("DG-11.6-2")
    @Tag("DG-11.6-3")
    @Tag("DG-11.6-4")
    @Test
    @DisplayName(
            "OPEN, RD-RESETs that do not fit are dropped: wrong tag, wrong side's tag, wrong address, reasons 4 and"
                    + " none")
    void badResets() {
        int mine = a.channel(b).tag;
        int peers = a.channel(b).peerTag();
        sim.deliver(reset(b, a, false, RdResetReason.CLOSED, peers));
        sim.deliver(reset(b, a, true, RdResetReason.NO_CHANNEL, mine));
        sim.deliver(reset(b, a, true, RdResetReason.CLOSED, peers));
        sim.deliver(reset(b, a, false, RdResetReason.CLOSED, mine + 1));
        sim.deliver(reset(c, a, false, RdResetReason.CLOSED, mine));
        sim.deliver(reset(c, a, true, RdResetReason.NO_CHANNEL, peers));
        sim.deliver(reset(b, a, false, RdResetReason.BUSY, mine));
        assertThat(a.counted(UdpCounter.RD_RESET_BAD)).isEqualTo(7);
        assertThat(a.upper.lost).isEmpty();
        assertThat(sim.sent(a, Kind.RD_RESET)).as("none is answered").isEmpty();
        sim.deliver(reset(b, a, true, RdResetReason.NO_CHANNEL, peers));
        assertThat(a.upper.lost).hasSize(1);
    }

    @Tag("DG-13-5")
    @Test
    @DisplayName("any, more than 1,000 wrong RD-RESETs in a second: others of that second have no effect")
    void guessedResets() {
        int mine = a.channel(b).tag;
        for (int i = 1; i <= RdChannel.MOST_STRAY_RESETS; i++) {
            sim.deliver(reset(c, a, false, RdResetReason.CLOSED, mine + i));
            sim.deliver(reset(b, a, false, RdResetReason.CLOSED, mine + i));
        }
        sim.deliver(reset(b, a, false, RdResetReason.CLOSED, mine));
        assertThat(a.upper.lost).isEmpty();
        assertThat(a.counted(UdpCounter.RD_RESET_BAD)).isEqualTo(2 * RdChannel.MOST_STRAY_RESETS + 1);
        sim.run(RdSim.millis(1_000));
        sim.deliver(reset(b, a, false, RdResetReason.CLOSED, mine));
        assertThat(a.upper.lost).hasSize(1);
    }

    @Tag("DG-11.1-4")
    @Tag("DG-11.1-5")
    @Test
    @DisplayName(
            "any, a datagram with the tag of a channel from another address or queue pair: dropped without an answer")
    void tagOfAnother() {
        sim.wire.clear();
        for (Kind kind : new Kind[] {Kind.DATA, Kind.RD_ACK, Kind.RD_ACCEPT, Kind.PATH_PROBE, Kind.PATH_REPLY}) {
            for (RdHost from : new RdHost[] {b, c}) {
                RdPacket moved = new RdPacket(kind, from.address, a.address);
                int number = from == b ? c.number + 1 : b.number;
                moved.shim.addressed(a.number, number, a.channel(b).tag).flags(kind.reply(), false, false, false);
                moved.ack = a.channel(b).transfer().firstPsn();
                moved.window = 1;
                moved.tag = 5;
                sim.deliver(moved);
            }
        }
        assertThat(a.counted(UdpCounter.RD_TAG)).isEqualTo(10);
        assertThat(sim.wire).isEmpty();
        a.post(b, 3, 1);
        settle(a);
        assertThat(a.upper.last().status).isEqualTo(SUCCESS);
    }

    @Tag("DG-11.1-12")
    @Tag("DG-11.1-20")
    @Tag("DG-11.6-5")
    @Test
    @DisplayName(
            "OPEN, violation by the peer: not acked, RD-RESET 2 with the code, ERROR at both ends; others continue")
    void violation() {
        violate();
        assertThat(a.upper.last().status).isEqualTo(REM_ACCESS_ERR);
        assertThat(a.upper.lost).containsExactly(new RdUpper.Lost(b.address, REM_ACCESS_ERR, CODE, true));
        assertThat(b.upper.lost).containsExactly(new RdUpper.Lost(a.address, WR_FLUSH_ERR, CODE, true));
        assertThat(a.channel(b).state()).isEqualTo(RdState.ERROR);
        assertThat(b.channel(a).state()).isEqualTo(RdState.ERROR);
        assertThat(sim.sent(b, Kind.RD_RESET)).singleElement().satisfies(p -> {
            assertThat(p.reason).isEqualTo(RdResetReason.REMOTE_ERROR);
            assertThat(p.control).isEqualTo(NotifyBody.controlOf(CODE));
        });
        othersGoOn();
    }

    @Test
    @DisplayName("violation that stops the queue pair at once: still RD-RESET 2")
    void violationThenStop() {
        b.upper.onLost = () -> b.endpoint.close();
        violate();
        assertThat(a.upper.last().status).isEqualTo(REM_ACCESS_ERR);
        assertThat(b.endpoint.channels()).isZero();
    }

    @Test
    @DisplayName("OPEN, violation behind a gap: found when the gap is filled")
    void violationBehindGap() {
        int[] seen = {0};
        sim.drops = p -> p.kind == Kind.DATA && seen[0]++ == 0;
        a.post(b, 2, 1);
        sim.run(RdSim.millis(1));
        assertThat(b.upper.lost).isEmpty();
        a.post(b, 1, 5);
        b.upper.refusal = CODE;
        settle(a);
        assertThat(b.upper.lost).hasSize(1);
        assertThat(b.endpoint.stashes.free()).isEqualTo(RdSettings.DEFAULT.stash());
    }

    @Tag("DG-11.1-13")
    @Test
    @DisplayName("the RD-RESET 2 is lost: the repeated datagram gets it again")
    void resetLost() {
        int[] resets = {0};
        sim.drops = p -> p.kind == Kind.RD_RESET && resets[0]++ < 3;
        violate();
        assertThat(a.upper.last().status).isEqualTo(REM_ACCESS_ERR);
        assertThat(b.upper.lost).hasSize(1);
        assertThat(sim.sent(b, Kind.RD_RESET)).hasSize(4).allMatch(p -> p.control == NotifyBody.controlOf(CODE));
    }

    @Tag("DG-11.1-13")
    @Test
    @DisplayName(
            "ERROR: a post is flushed, RD-OPEN gets RD-RESET 4; after resetPeer at both ends the channel works again")
    void error() {
        violate();
        b.upper.refusal = null;
        a.post(b, 1, 2);
        assertThat(a.upper.last().status).isEqualTo(WR_FLUSH_ERR);
        a.endpoint.resetPeer(a.handleOf(b));
        assertThat(a.channel(b)).isNull();
        a.post(b, 1, 1);
        sim.run(RdSim.millis(20));
        assertThat(a.upper.last().status).isNull();
        assertThat(sim.sent(b, Kind.RD_RESET))
                .last()
                .satisfies(p -> assertThat(p.reason).isEqualTo(RdResetReason.BUSY));
        b.endpoint.resetPeer(b.handleOf(a));
        settle(a);
        assertThat(a.upper.last().status).isEqualTo(SUCCESS);
    }

    @Tag("DG-11.1-19")
    @Test
    @DisplayName("ERROR: removed after 120 s without datagrams of the peer and posts; new work opens a new channel")
    void errorForgotten() {
        violate();
        b.upper.refusal = null;
        sim.run(RdSettings.FORGET_AFTER - RdSim.millis(10));
        a.post(b, 1, 1);
        assertThat(a.upper.last().status).isEqualTo(WR_FLUSH_ERR);
        sim.run(RdSim.millis(20));
        assertThat(b.endpoint.channels()).as("b received nothing").isZero();
        assertThat(a.channel(b).state()).as("a has had work").isEqualTo(RdState.ERROR);
        sim.run(RdSettings.FORGET_AFTER);
        assertThat(a.channel(b)).isNull();
        a.post(b, 1, 1);
        settle(a);
        assertThat(a.upper.last().status).isEqualTo(SUCCESS);
    }

    @Test
    @DisplayName("ERROR, DATA of a peer that does not know the error: the 120 s begin again")
    void errorWhileThePeerSends() {
        sim.drops = p -> p.kind == Kind.RD_RESET;
        b.upper.refusal = CODE;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(20_000));
        sim.drops = p -> true;
        sim.run(RdSettings.FORGET_AFTER - RdSim.millis(10_000));
        assertThat(b.channel(a).state()).isEqualTo(RdState.ERROR);
        sim.run(RdSim.millis(10_000));
        assertThat(b.channel(a)).isNull();
    }

    @Tag("DG-11.1-26")
    @Test
    @DisplayName("OPEN, local memory closed with unacknowledged datagrams: the message fails, RD-RESET 3, ERROR")
    void memoryGone() {
        sim.drops = p -> p.kind == Kind.DATA;
        a.post(b, 1, 2);
        a.upper.memoryGone = true;
        settle(a);
        assertThat(a.upper.messages.get(2).status).isEqualTo(LOC_PROT_ERR);
        assertThat(a.upper.messages.get(3).status).isEqualTo(WR_FLUSH_ERR);
        assertThat(a.channel(b).state()).isEqualTo(RdState.ERROR);
        assertThat(sim.sent(a, Kind.RD_RESET)).singleElement().matches(p -> p.reason == RdResetReason.CLOSED);
        sim.run(RdSim.millis(2));
        assertThat(b.upper.lost).containsExactly(new RdUpper.Lost(a.address, PEER_RESET, null, false));
    }

    @Test
    @DisplayName("the layer above abandons or refuses during its turn: notified afterwards, RD-RESET 3 or 2")
    void abandoned() {
        a.upper.onSent = () -> {
            a.upper.onSent = null;
            a.endpoint.abandon(a.handleOf(b), sim.now());
            a.endpoint.refuse(a.handleOf(c), CODE, sim.now());
            assertThat(a.upper.lost).isEmpty();
        };
        a.post(b, 3, 1);
        assertThat(a.upper.lost)
                .containsExactly(
                        new RdUpper.Lost(b.address, WR_FLUSH_ERR, null, true),
                        new RdUpper.Lost(c.address, WR_FLUSH_ERR, CODE, true));
        assertThat(sim.sent(a, Kind.RD_RESET))
                .extracting(p -> p.reason)
                .containsExactly(RdResetReason.CLOSED, RdResetReason.REMOTE_ERROR);
    }

    @Test
    @DisplayName("scope of the queue pair: everything stops with the first error, until a peer is reset")
    void queuePairScope() {
        RdSettings scope = RdSettings.of(UdpSettings.of(Map.of("jwarp.rd.error-scope", "queue-pair")));
        RdHost d = new RdHost(sim, 4, 20, scope);
        d.post(b, 1, 1);
        d.post(c, 1, 1);
        settle(d);
        b.upper.refusal = CODE;
        d.post(b, 1, 1);
        sim.run(RdSim.millis(5));
        d.post(c, 1, 1);
        assertThat(d.upper.last().status).isEqualTo(WR_FLUSH_ERR);
        d.post(a, 1, 1);
        assertThat(d.upper.last().status).as("a peer without a channel").isEqualTo(WR_FLUSH_ERR);
        d.endpoint.resetPeer(d.handleOf(c));
        d.post(c, 1, 1);
        settle(d);
        assertThat(d.upper.last().status).isEqualTo(SUCCESS);
    }

    @Test
    @DisplayName("old DATA, RD-ACK and RD-RESET of a replaced channel have no effect")
    void replays() {
        a.post(b, 5, 5);
        settle(a);
        sim.run(RdSim.millis(5));
        List<RdPacket> old = List.copyOf(sim.wire);
        b.endpoint.close();
        sim.run(RdSim.millis(5));
        List<RdPacket> oldResets = sim.sent(b, Kind.RD_RESET);
        // b's queue pair is restarted under its number.
        b.kill();
        RdHost again = new RdHost(sim, 2, 18);
        a.upper.lost.clear();
        a.post(again, 3, 3);
        settle(a);
        for (RdPacket p : old) {
            if (p.kind != Kind.RD_OPEN) {
                sim.deliver(p);
            }
        }
        oldResets.forEach(sim::deliver);
        a.post(again, 3, 3);
        settle(a);
        sim.run(RdSim.millis(50));
        assertThat(a.upper.lost).isEmpty();
        assertThat(again.upper.lost).isEmpty();
        assertThat(again.upper.from(a.upper))
                .hasSize(18)
                .doesNotHaveDuplicates()
                .isSorted();
        assertThat(a.counted(UdpCounter.RD_RESET_BAD)).isPositive();
    }

    @Test
    @DisplayName("a replayed RD-OPEN creates at most a half-open channel, which the live peer ends")
    void replayedOpen() {
        RdPacket open = sim.sent(a, Kind.RD_OPEN).get(0);
        sim.run(RdSettings.FORGET_AFTER + RdSim.millis(10));
        assertThat(b.endpoint.channels()).isZero();
        sim.deliver(open);
        sim.run(RdSim.millis(5));
        assertThat(b.endpoint.channels()).isZero();
        a.post(b, 1, 1);
        settle(a);
        assertThat(a.upper.last().status).isEqualTo(SUCCESS);
    }
}
