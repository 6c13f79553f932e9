package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdAckBody;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RD-ACK, and large windows. */
@DisplayName("Through its RD-ACKs a channel (datagram-iWARP §11)")
class RdAckTest extends RdPair {
    private static final long MILLI = RdSim.millis(1);

    RdAckTest() {
        sim.record = true;
    }

    private static RdTransfer transferOf(RdHost host, RdHost peer) {
        return host.channel(peer).transfer();
    }

    /** {@return the channel of a, with a few datagrams accepted} */
    private RdTransfer open() {
        a.post(b, 40, 1);
        settle(1_000);
        sim.run(50 * MILLI);
        sim.wire.clear();
        return transferOf(a, b);
    }

    private int mostUnderWay(long nanos) {
        int most = 0;
        for (long end = sim.now() + nanos; sim.now() < end; ) {
            sim.run(MILLI);
            RdSender sender = transferOf(a, b).sender;
            most = Math.max(most, sender == null ? 0 : Psn.distance(sender.oldest(), sender.next()));
        }
        return most;
    }

    @Tag("DG-4.4-8")
    @Test
    @DisplayName("has thousands of datagrams in flight on a long path, and the announced window grows from 256")
    void longPath() {
        sim.delay = 50 * MILLI;
        sim.rate = 60_000_000;
        sim.queue = 3_000_000;
        a.post(b, 1_000_000, 1);
        sim.run(120 * MILLI);
        assertThat(sim.sent(b, Kind.RD_ACCEPT).get(0).window).isEqualTo(RdSettings.FIRST_WINDOW);
        assertThat(mostUnderWay(1_500 * MILLI)).isGreaterThan(3_000);
        List<RdPacket> told = sim.sent(b, Kind.RD_ACK);
        assertThat(told.get(told.size() - 1).window).isGreaterThan(8 * 1_024);
        assertThat(b.upper.from(a.upper)).as("received in order").isSorted();
    }

    @Test
    @DisplayName("gets a window of at most 256 while it does not use it up")
    void unused() {
        for (int i = 0; i < 50; i++) {
            a.post(b, 10, 1);
            sim.run(20 * MILLI);
        }
        assertThat(transferOf(b, a).window()).isEqualTo(RdSettings.FIRST_WINDOW);
    }

    @Tag("DG-11.2-10")
    @Test
    @DisplayName("numbers RD-ACKs, and ignores Window, RNR and duplicates of an old one")
    void overtaken() {
        RdTransfer transfer = open();
        a.post(b, 200, 1);
        sim.run(20 * MILLI);
        List<RdPacket> told = sim.sent(b, Kind.RD_ACK);
        for (int i = 1; i < told.size(); i++) {
            assertThat(told.get(i).shim.messageId())
                    .isEqualTo(told.get(i - 1).shim.messageId() + 1);
        }
        sim.drops = p -> p.kind == Kind.RD_ACK;
        a.post(b, 4, 1);
        sim.run(5 * MILLI);
        RdPacket sack = told.get(told.size() - 1);
        sack.ack = transfer.firstPsn();
        sack.count = 0;
        sack.window = 77;
        sim.deliver(sack);
        assertThat(transfer.sender.peerWindow()).isNotEqualTo(77);
        sack.notReady = true;
        sim.deliver(sack);
        assertThat(transfer.sender.notReady()).isFalse();
        sack.shim.message(sack.shim.messageId() + 100, 0);
        sim.deliver(sack);
        assertThat(transfer.sender.peerWindow()).isEqualTo(77);
        assertThat(transfer.sender.notReady()).isTrue();
    }

    @Test
    @DisplayName("acknowledges everything within a window of 16,384, in several RD-ACKs if words are short")
    void turns() {
        RdTransfer receiving = opened();
        int expected = receiving.expected();
        RdPacket data = sim.sent(a, Kind.DATA).get(0);
        Set<Integer> ahead = new HashSet<>();
        for (int i = 1; i < 4_000; i++) {
            ahead.add(1 + sim.random.nextInt(receiving.window()));
        }
        sim.wire.clear();
        for (int distance : ahead) {
            data.psn = expected + distance;
            sim.deliver(data);
        }
        sim.deliver(data);
        sim.deliver(data); // duplicates are acknowledged at once
        List<RdPacket> told = sim.sent(b, Kind.RD_ACK);
        Set<Integer> named = new HashSet<>();
        for (RdPacket sack : told.subList(told.size() - 2, told.size())) {
            assertThat(sack.words).hasSizeLessThanOrEqualTo(RdAckBody.MAXIMUM_WORDS);
            for (int i = 0; i < sack.words.length * 64; i++) {
                if ((sack.words[i / 64] & (Long.MIN_VALUE >>> i)) != 0) {
                    named.add(1 + 64 * sack.firstWord + i);
                }
            }
        }
        assertThat(named).isEqualTo(ahead);
    }

    /** {@return the receiving side of a channel with the largest window} */
    private RdTransfer opened() {
        sim.delay = 20 * MILLI;
        a.post(b, 300_000, 1);
        settle(20_000);
        sim.run(100 * MILLI);
        RdTransfer receiving = transferOf(b, a);
        assertThat(receiving.window()).isEqualTo(RdSettings.DEFAULT.window());
        sim.drops = p -> p.kind == Kind.RD_ACK;
        return receiving;
    }

    @Tag("DG-11.3-18")
    @Tag("DG-11.2-10")
    @Tag("DG-4.4-6")
    @Test
    @DisplayName("measures round trips by the datagram received last, minus the peer's delay")
    void echo() {
        RdTransfer transfer = open();
        long least = transfer.roundTrip();
        assertThat(least).isBetween(MILLI, MILLI + MILLI / 100);
        Predicate<RdPacket> sacks = p -> p.kind == Kind.RD_ACK;
        sim.drops = sacks;
        a.post(b, 1, 1);
        sim.run(3 * MILLI);
        RdPacket sack = sim.sent(b, Kind.RD_ACK).get(0);
        assertThat(sack.echo).isEqualTo(sack.ack - 1);
        sack.delay = (int) ((2 * MILLI) / RdAckBody.DELAY_UNIT_NANOS);
        sim.deliver(sack);
        assertThat(transfer.smoothed()).as("3 ms, of which it took 2").isLessThan(9 * MILLI / 8);
    }

    @Tag("DG-11.3-14")
    @Tag("DG-11.2-10")
    @Test
    @DisplayName("detects needless repetitions, even when the first transmission arrives after the second")
    void duplicates() {
        open();
        RdPacket[] late = new RdPacket[1];
        sim.drops = p -> {
            if (p.kind == Kind.DATA && late[0] == null && p.shim.segmentIndex() == 100) {
                late[0] = p;
                return true;
            }
            return false;
        };
        a.post(b, 20_000, 1);
        long before = 0;
        while (a.counted(UdpCounter.RD_REPEATED) == 0) {
            before = transferOf(a, b).congestionWindow();
            sim.run(MILLI / 20);
        }
        sim.run(3 * MILLI / 4);
        assertThat(transferOf(a, b).congestionWindow()).isLessThan(before);
        sim.deliver(late[0]);
        assertThat(b.counted(UdpCounter.RD_DUP)).isEqualTo(1);
        sim.run(3 * MILLI / 2);
        assertThat(transferOf(a, b).congestionWindow()).as("undone").isGreaterThan(before);
    }
}
