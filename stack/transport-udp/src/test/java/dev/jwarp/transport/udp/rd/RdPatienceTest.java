package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.RETRY_EXC_ERR;
import static dev.jwarp.llp.OperationStatus.RNR_RETRY_EXC_ERR;
import static dev.jwarp.llp.OperationStatus.SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.path.PathMtuSearch;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A channel waits (datagram-iWARP §11)")
class RdPatienceTest extends RdPair {
    private static final int WAITING = 500;

    private final RdHost c = new RdHost(sim, 3, 19);

    RdPatienceTest() {
        sim.record = true;
        a.upper.segment = 1412;
    }

    /** Opens a channel from a to b, with an empty flight. */
    private void open() {
        a.post(b, 1, 1);
        settle(1000);
    }

    @Tag("DG-11.1-27")
    @Tag("DG-11.3-4")
    @Test
    @DisplayName("for a peer that is gone: RETRY_EXC_ERR after 30 s, and other peers continue")
    void gone() {
        a.post(b, 2, 1);
        a.post(c, 2, 1);
        settle(1000);
        b.kill();
        long begin = sim.now();
        a.post(b, 2, 3);
        for (int i = 0; i < 50; i++) {
            a.post(c, 2, 1);
            sim.await(() -> a.upper.last().status == SUCCESS, 10);
            sim.run(RdSim.millis(100));
        }
        settle(40_000);
        assertThat(a.upper.messages.get(2).status).isEqualTo(RETRY_EXC_ERR);
        assertThat(a.upper.messages.get(2).doneAt - begin).isBetween(RdSim.millis(30_000), RdSim.millis(30_100));
        assertThat(a.upper.lost).containsExactly(new RdUpper.Lost(b.address, RETRY_EXC_ERR, null, true));
        assertThat(sim.sent(a, Kind.DATA).size()).as("probes are few").isLessThan(200);
    }

    @ParameterizedTest(name = "for {0} ms")
    @ValueSource(longs = {100, 2000, 9000})
    @DisplayName("for an end that pauses: all messages are delivered once, no RD-RESET")
    void paused(long millis) {
        a.post(b, 10, 20);
        b.post(a, 10, 20);
        sim.run(RdSim.millis(1));
        sim.after(RdSim.millis(1), () -> b.pause(RdSim.millis(millis)));
        sim.after(RdSim.millis(3), () -> a.post(b, 10, 20));
        sim.run(RdSim.millis(4));
        settle(60_000);
        assertDelivered();
        assertThat(sim.wire).noneMatch(p -> p.kind == Kind.RD_RESET);
        assertNothingLost();
    }

    @Tag("DG-11.1-27")
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "for 30 s, true, 30000, 0",
        "while the first RD-OPEN is lost, false, 6000, 150",
        "and three probes within a few milliseconds afterwards, true, 20000, 300"
    })
    @DisplayName("a pause of this side, which loses data before and after it, does not count as the peer's silence:")
    void ownPause(String what, boolean open, long pauseMillis, long lostMillis) {
        if (open) {
            open();
        }
        sim.drops = p -> p.kind == Kind.DATA || p.kind == Kind.RD_OPEN;
        a.post(b, 4, 4);
        sim.run(RdSim.millis(1));
        a.pause(RdSim.millis(pauseMillis));
        sim.after(RdSim.millis(pauseMillis + lostMillis), () -> sim.drops = p -> false);
        settle(40_000);
        a.assertDelivered(b);
    }

    @Tag("DG-11.1-27")
    @Test
    @DisplayName("a starved CPU is no dead peer: both run for 2 ms at times, and all messages are delivered")
    void starved() {
        sim.loss = 0.05;
        sim.duplication = 0.02;
        sim.delay = RdSim.millis(2);
        for (int i = 0; i < 60; i++) {
            sim.after(RdSim.millis(i * 2_000L), () -> a.pause(RdSim.millis(1_998)));
            sim.after(RdSim.millis(i * 2_000L + 1_001), () -> b.pause(RdSim.millis(1_998)));
        }
        a.post(b, 20, 20);
        settle(400_000);
        a.assertDelivered(b);
    }

    @Tag("DG-11.2-4")
    @Tag("DG-11.3-7")
    @Test
    @DisplayName(
            "for a receiver that is not ready for 5 s: each RD-ACK has RNR, only probes are sent; then all continue")
    void notReady() {
        open();
        b.upper.receives = 3;
        a.post(b, 2, 40);
        sim.run(RdSim.millis(100));
        int sent = sim.sent(a, Kind.DATA).size();
        assertThat(sent).as("nothing new is sent once RNR is known").isLessThan(40);
        sim.run(RdSim.millis(4900));
        assertThat(sim.sent(a, Kind.DATA).size() - sent)
                .as("two datagrams a probe")
                .isLessThan(40);
        List<RdPacket> acks =
                sim.sent(b, Kind.RD_ACK).stream().dropWhile(p -> !p.notReady).toList();
        assertThat(acks)
                .as("for duplicates and gaps, too")
                .hasSizeGreaterThan(3)
                .allMatch(p -> p.notReady);
        assertThat(acks).as("some have SACK words").anyMatch(p -> p.count > 0);
        assertThat(b.counted(UdpCounter.RD_NOT_READY)).isPositive();
        assertThat(a.upper.succeeded()).isEqualTo(4);
        b.ready(1);
        sim.run(RdSim.millis(100));
        assertThat(a.upper.succeeded()).isEqualTo(5);
        b.ready(Long.MAX_VALUE);
        settle(5000);
        assertThat(sim.sent(b, Kind.RD_ACK)).last().matches(p -> !p.notReady);
        a.assertDelivered(b);
        assertThat(b.endpoint.stashes.free()).isEqualTo(RdSettings.DEFAULT.stash());
    }

    @Tag("DG-11.3-7")
    @Test
    @DisplayName("for a receiver that is not ready for 30 s: RNR_RETRY_EXC_ERR, other peers continue")
    void notReadyForLong() {
        open();
        b.upper.receives = 0;
        a.post(b, 1, 1);
        a.post(c, 1, 1);
        long begin = sim.now();
        sim.run(RdSim.millis(29_000));
        assertThat(a.upper.messages.get(1).status).isNull();
        assertThat(a.upper.messages.get(2).status).isEqualTo(SUCCESS);
        settle(10_000);
        assertThat(a.upper.messages.get(1).status).isEqualTo(RNR_RETRY_EXC_ERR);
        assertThat(sim.now() - begin).isBetween(RdSim.millis(30_000), RdSim.millis(30_100));
    }

    @Test
    @DisplayName("for a receiver that is not ready: this is no congestion, and the receiver's later state prevails")
    void readyAgain() {
        open();
        b.upper.receives = 0;
        a.post(b, 1, 100);
        sim.run(RdSim.millis(5000));
        RdPacket old = sim.sent(b, Kind.RD_ACK).stream()
                .filter(p -> p.notReady)
                .findFirst()
                .orElseThrow();
        sim.wire.clear();
        b.ready(Long.MAX_VALUE);
        sim.run(RdSim.millis(1));
        assertThat(sim.sent(a, Kind.DATA)).as("as many as before").hasSizeGreaterThan(4);
        settle(1000);
        sim.drops = p -> p.kind == Kind.DATA;
        a.post(b, 1, 1);
        sim.deliver(old);
        sim.wire.clear();
        a.post(b, 1, 3);
        sim.run(RdSim.millis(1)); // at its pace
        assertThat(sim.sent(a, Kind.DATA)).hasSize(3);
        sim.drops = p -> false;
        settle(1000);
        a.assertDelivered(b);
    }

    @Tag("DG-11.3-7")
    @Test
    @DisplayName("for a receiver that is not ready, with a probe each second while it answers, then with back-off")
    void notReadyIsAsked() {
        open();
        b.upper.receives = 0;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(5_000));
        sim.wire.clear();
        sim.run(RdSim.millis(10_000));
        assertThat(sim.sent(a, Kind.DATA)).hasSizeBetween(9, 11);
        sim.drops = p -> true;
        sim.wire.clear();
        sim.run(RdSim.millis(14_000));
        assertThat(sim.sent(a, Kind.DATA)).hasSizeLessThan(4);
    }

    @Tag("DG-11.3-4")
    @Test
    @DisplayName("with back-off for a path that passes only small datagrams: their answers prove nothing")
    void onlySmallOnesComeThrough() {
        open();
        a.post(b, 1, 100);
        settle(1000);
        sim.drops = p -> p.kind == Kind.DATA;
        a.post(b, 1, 10);
        sim.run(RdSim.millis(1_000));
        sim.wire.clear();
        sim.run(RdSim.millis(14_000));
        assertThat(sim.sent(a, Kind.DATA))
                .as("two for each probe, which doubles its wait")
                .hasSizeBetween(4, 12);
        assertThat(sim.sent(a, Kind.PATH_PROBE)).isEmpty();
        sim.drops = p -> false;
        settle(30_000);
        a.assertDelivered(b);
    }

    /** {@return hosts that each sent one message to b, which has no receive for it} */
    private List<RdHost> waiting() {
        b.upper.receives = 0;
        List<RdHost> peers = IntStream.range(0, WAITING)
                .mapToObj(i -> new RdHost(sim, 100 + i, 99))
                .toList();
        peers.forEach(peer -> peer.post(b, 1, 1));
        sim.run(RdSim.millis(10));
        assertThat(b.endpoint.schedule.waiting()).isEqualTo(WAITING);
        return peers;
    }

    @Test
    @DisplayName("with others for a receive, no longer when it ends")
    void waitingEnds() {
        waiting().forEach(peer -> peer.endpoint.close());
        sim.run(RdSim.millis(10));
        assertThat(b.endpoint.channels()).isZero();
        assertThat(b.endpoint.schedule.waiting()).isZero();
    }

    @Test
    @DisplayName("with others for a receive: they try again in groups while there is still none, until all have tried")
    void inVain() {
        waiting().forEach(RdHost::kill); // so that they do not repeat
        long before = b.upper.offered;
        b.endpoint.ready(sim.now());
        assertThat(b.upper.offered - before).isEqualTo(RdSchedule.TRIES_IN_VAIN);
        b.pump();
        sim.run(WAITING / RdSchedule.TRIES_IN_VAIN * 2 * RdSchedule.TRY_PAUSE);
        assertThat(b.upper.offered - before).isEqualTo(WAITING);
    }

    @Test
    @DisplayName("with others for a receive: all continue at once if there are enough")
    void enough() {
        waiting();
        b.ready(WAITING);
        assertThat(b.upper.received).hasSize(WAITING);
        assertThat(b.endpoint.schedule.waiting()).isZero();
    }

    /** {@return a path whose size is known, after a transfer} */
    private PathMtuSearch known() {
        PathMtuSearch path = new PathMtuSearch(b.address, 1472, 1472, TimeUnit.SECONDS.toNanos(600));
        a.handleOf(b).set(b.address, b.number, b.key, 0).follow(path);
        open();
        a.post(b, 1, 100);
        settle(1000);
        assertThat(path.state()).isEqualTo(PathMtuSearch.State.COMPLETE);
        return path;
    }

    @Test
    @DisplayName("no longer, when a probe shows that datagrams in flight are too long for the path")
    void pathIsNarrow() {
        PathMtuSearch path = known();
        sim.drops = p -> p.octets >= 1472 || (p.kind == Kind.DATA && path.maximumDatagram() == 1472);
        a.post(b, 1, 1);
        sim.await(() -> path.maximumDatagram() < 1472, 10_000);
        settle(20);
        a.assertDelivered(b);
    }

    @Tag("DG-11.3-23")
    @Test
    @DisplayName("for three probes if fragments do not arrive either: then a new channel follows, whose datagrams fit")
    void tooLongForThePath() {
        PathMtuSearch path = known();
        RdUpper.Message message = a.upper.post(a.handleOf(b), 1);
        sim.drops = p -> p.octets >= 1472 || (p.kind == Kind.DATA && message.status == null);
        a.pump();
        sim.await(() -> message.status != null, 10_000);
        assertThat(message.status).isEqualTo(OperationStatus.PEER_RESET);
        assertThat(a.counted(UdpCounter.RD_TOO_LONG)).isOne();
        assertThat(path.maximumDatagram()).isLessThan(1472);
        assertThat(sim.sent(a, Kind.RD_RESET))
                .singleElement()
                .satisfies(reset -> assertThat(reset.reason).isEqualTo(RdResetReason.CLOSED));
        a.post(b, 1, 10);
        settle(1000);
        assertThat(a.upper.succeeded()).isEqualTo(111);
    }

    @Tag("DG-11.1-27")
    @Test
    @DisplayName("for an outage, although the size of the path falls meanwhile: the datagram has not left as fragments")
    void sizeFallsDuringOutage() {
        PathMtuSearch path = known();
        RdUpper.Message message = a.upper.post(a.handleOf(b), 1);
        sim.drops = p -> true;
        a.pump();
        sim.run(RdSim.millis(3_000)); // more than three probes
        path.tooLong(1472, sim.now());
        assertThat(path.maximumDatagram()).isLessThan(1472);
        sim.drops = p -> false;
        settle(30_000);
        assertThat(message.status).isEqualTo(SUCCESS);
    }

    @Test
    @DisplayName("for a receiver that is repeatedly not ready, but never for 30 s: nothing fails")
    void slowReceiver() {
        open();
        b.upper.receives = 0;
        a.post(b, 1, 4);
        for (int i = 0; i < 4; i++) {
            sim.run(RdSim.millis(20_000));
            b.ready(1);
        }
        settle(5000);
        a.assertDelivered(b);
    }

    @Test
    @DisplayName("not ready, and no memory to keep the datagram: it is repeated after the RD-ACK without RNR")
    void notReadyWithoutMemory() {
        RdHost d = new RdHost(sim, 4, 20, RdHost.limits(16, 1, 16_384, 64));
        d.upper.receives = 0;
        a.post(d, 1, 3);
        c.post(d, 1, 3);
        sim.run(RdSim.millis(3000));
        assertThat(d.endpoint.stashes.free()).isZero();
        d.ready(Long.MAX_VALUE);
        sim.settle(1000, a, c);
        a.assertDelivered(d);
        c.assertDelivered(d);
    }

    @Tag("DG-11.3-5")
    @ParameterizedTest(name = "Ack {0} beyond the oldest, SACK word {1}")
    @CsvSource({"4,0", "1,0x2000000000000000", "0,1", "1000000,0"})
    @DisplayName("not after an ack of PSNs never sent: dropped, and nothing changes")
    void acksOfNothing(int beyond, String word) {
        open();
        sim.run(RdSim.millis(5));
        sim.drops = p -> p.kind == Kind.DATA;
        a.post(b, 3, 1);
        RdChannel channel = a.channel(b);
        RdPacket ack = new RdPacket(Kind.RD_ACK, b.address, a.address);
        ack.shim.addressed(a.number, b.number, channel.tag).flags(true, false, false, false);
        ack.ack = channel.transfer().firstPsn() + beyond;
        ack.window = 1;
        ack.words = new long[] {Long.decode(word)};
        ack.count = 1;
        sim.deliver(ack);
        assertThat(a.counted(UdpCounter.RD_ACK_BAD)).isEqualTo(1);
        assertThat(a.upper.acceptedSegments).isEqualTo(1);
        sim.drops = p -> false;
        settle(1000);
        // The same without outstanding datagrams.
        sim.deliver(ack);
        ack.ack = channel.transfer().firstPsn() + 1;
        sim.deliver(ack);
        assertThat(a.counted(UdpCounter.RD_ACK_BAD)).isGreaterThanOrEqualTo(2);
    }

    @Tag("DG-11.3-3")
    @ParameterizedTest(name = "a message of {0}: {1} to {2} µs")
    @CsvSource({"3, 2250, 2300", "5, 2000, 2100"})
    @DisplayName("a quarter of the least round trip for a lost datagram that one later one overtook, less if three did")
    void overtaken(int datagrams, long least, long most) {
        open();
        int[] seen = {0};
        sim.drops = p -> p.kind == Kind.DATA && seen[0]++ == 1;
        long begin = sim.now();
        a.post(b, datagrams, 1);
        settle(1000);
        assertThat((sim.now() - begin) / 1_000).isBetween(least, most);
        assertThat(a.counted(UdpCounter.RD_REPEATED)).isEqualTo(1);
        assertThat(a.counted(UdpCounter.RD_PROBES)).as("before any probe").isZero();
    }

    @Tag("DG-11.2-7")
    @Test
    @DisplayName("PSNs wrap around in both directions, with loss")
    void acrossTheTop() {
        for (int before = 0; before < 300; before += 37) {
            RdPair net = new RdPair(before);
            net.sim.loss = 0.1;
            net.a.randoms.addAll(List.of(4711L, (long) -before));
            net.b.randoms.addAll(List.of(815L, (long) -before / 2));
            net.a.post(net.b, 20, 30);
            net.b.post(net.a, 20, 30);
            net.settle(60_000);
            net.assertDelivered();
        }
    }

    @Tag("DG-11.2-3")
    @Test
    @DisplayName("a datagram beyond the window is dropped and counted, and takes no memory")
    void beyondWindow() {
        open();
        RdPacket beyond = sim.sent(a, Kind.DATA).get(0);
        int free = b.endpoint.stashes.free();
        int expected = beyond.psn + 1;
        beyond.psn = expected + RdSettings.FIRST_WINDOW + 1;
        sim.deliver(beyond);
        assertThat(b.counted(UdpCounter.RD_AHEAD)).isEqualTo(1);
        assertThat(b.endpoint.stashes.free()).isEqualTo(free);
        beyond.psn--;
        sim.deliver(beyond);
        assertThat(b.counted(UdpCounter.RD_AHEAD)).isEqualTo(1);
        assertThat(b.endpoint.stashes.free()).isEqualTo(free - 1);
    }

    @Test
    @DisplayName("many peers share little memory for reordering: slower, but all messages are delivered once")
    void littleStash() {
        for (long seed = 0; seed < 5; seed++) {
            RdSim lossy = new RdSim(seed);
            lossy.loss = 0.1;
            RdHost to = new RdHost(lossy, 1, 17, RdHost.limits(64, 20, 16_384, 64));
            RdHost[] from = new RdHost[20];
            for (int i = 0; i < from.length; i++) {
                from[i] = new RdHost(lossy, 10 + i, 30 + i);
                from[i].post(to, 30, 10);
            }
            lossy.settle(120_000, from);
            for (RdHost host : from) {
                host.assertDelivered(to);
            }
            assertThat(to.endpoint.stashes.free()).isEqualTo(20);
        }
    }

    /** {@return the time to deliver with losses, while another host has the most datagrams out of order} */
    private static long nanosBeside(int greedyChannels) {
        RdSim sim = new RdSim(7);
        RdHost to = new RdHost(sim, 1, 17, RdHost.limits(256, 1024, 16_384, 64));
        RdHost good = new RdHost(sim, new DatagramAddress().setIpv4(0x0a00_0001, 1), 18, RdSettings.DEFAULT);
        sim.rate = 50_000_000;
        Random losses = new Random(8);
        sim.drops = p -> p.kind == Kind.DATA
                && (p.from.equals(good.address) ? losses.nextInt(20) == 0 : p.shim.segmentIndex() == 0);
        for (int i = 0; i < greedyChannels; i++) {
            DatagramAddress at = new DatagramAddress().setIpv4(0x0a00_0002, 1 + i);
            new RdHost(sim, at, 19, RdSettings.DEFAULT).post(to, 250, 1);
        }
        sim.run(RdSim.millis(500));
        assertThat(to.endpoint.stashes.free() < 300).isEqualTo(greedyChannels > 0);
        long begin = sim.now();
        good.post(to, 1, 5_000);
        sim.settle(5_000, good);
        good.assertDelivered(to);
        return sim.now() - begin;
    }

    @Test
    @DisplayName(
            "no host waits for another one's datagrams out of order: memory moves to the host with less, and the other"
                    + " one's window only shrinks")
    void oneHostKeepsAhead() {
        long alone = nanosBeside(0);
        assertThat(nanosBeside(6)).as("alone %d ns", alone).isLessThan(alone * 5 / 4);
    }

    @Tag("DG-4.4-8")
    @Tag("DG-11.3-8")
    @Test
    @DisplayName("a sender repeats data at once that the receiver has discarded")
    void keptAheadIsGivenUp() {
        sim.drops = p -> p.kind == Kind.DATA && p.shim.segmentIndex() == 0;
        a.post(b, 200, 1);
        sim.run(RdSim.millis(300));
        assertThat(b.endpoint.stashes.free()).isLessThan(RdSettings.DEFAULT.stash());
        RdChannel channel = b.channel(a);
        sim.wire.clear();
        channel.stashTakenBack();
        b.pump();
        assertThat(sim.sent(b, Kind.RD_ACK))
                .as("reported at once")
                .singleElement()
                .satisfies(ack -> {
                    assertThat(ack.words).as("nothing is kept").isEmpty();
                    assertThat(ack.window).as("the least window").isEqualTo(RdSettings.LEAST_WINDOW);
                });
        sim.drops = p -> false;
        long begin = sim.now();
        settle(10_000);
        assertThat(sim.now() - begin).isLessThan(RdSim.millis(1_500)); // a probe, then all at once
        a.assertDelivered(b);
        assertThat(channel.transfer().window()).as("the gap is over").isEqualTo(RdSettings.FIRST_WINDOW);
        b.endpoint.close();
        assertThat(b.endpoint.stashes.sharers()).isZero();
    }
}
