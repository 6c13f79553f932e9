package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.PEER_RESET;
import static dev.jwarp.llp.OperationStatus.RETRY_EXC_ERR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Opening a channel (datagram-iWARP §11)")
class RdOpeningTest {
    private final RdSim sim = new RdSim(1);
    private final RdHost a = new RdHost(sim, 1, 17);
    private final RdHost b = new RdHost(sim, 2, 18);

    RdOpeningTest() {
        sim.record = true;
    }

    private static RdChannel channel(RdHost at, RdHost with) {
        return at.endpoint.find(with.address, with.number);
    }

    private void settle() {
        assertThat(sim.runUntil(() -> a.upper.allDone() && b.upper.allDone(), RdSim.millis(60_000)))
                .as("all done")
                .isTrue();
        sim.run(RdSim.millis(5));
    }

    private void assertDelivered() {
        RdDeliveryTest.assertExactlyOnceInOrder(a.upper, b.upper, "a to b");
        RdDeliveryTest.assertExactlyOnceInOrder(b.upper, a.upper, "b to a");
    }

    private static RdPacket copyOf(RdPacket p) {
        RdPacket copy = new RdPacket(p.kind, p.from, p.to);
        Shim s = p.shim;
        copy.shim
                .addressed(s.destinationQpn(), s.sourceQpn(), s.key())
                .message(s.messageId(), s.messageLength())
                .flags(s.reply(), s.reliable(), s.group(), s.padded());
        copy.tag = p.tag;
        copy.psn = p.psn;
        copy.ack = p.ack;
        copy.window = p.window;
        return copy;
    }

    @Tag("DG-11.1-6")
    @Tag("DG-11.1-19")
    @Test
    @DisplayName("CLOSED, first work: RD-OPEN at 0, 100, 300, 700 ms, then each second; after 5 s the work fails")
    void nobodyThere() {
        b.kill();
        long begin = sim.now();
        a.post(b, 1, 3);
        sim.drops = p -> {
            p.octets = (int) ((sim.now() - begin) / 1_000_000);
            return true;
        };
        sim.wire.clear();
        assertThat(sim.runUntil(a.upper::allDone, RdSim.millis(20_000))).isTrue();
        assertThat(sim.sent(a, Kind.RD_OPEN))
                .extracting(p -> p.octets)
                .containsExactly(100, 300, 700, 1500, 2500, 3500, 4500);
        assertThat(sim.sent(a, Kind.RD_OPEN).stream().map(p -> p + " " + p.shim.messageId()))
                .as("tag, PSN and Message Id")
                .containsOnly(sim.sent(a, Kind.RD_OPEN).get(0) + " "
                        + sim.sent(a, Kind.RD_OPEN).get(0).shim.messageId());
        assertThat(sim.now() - begin).isEqualTo(RdSettings.OPEN_DEADLINE);
        assertThat(a.upper.messages).allSatisfy(m -> assertThat(m.status).isEqualTo(RETRY_EXC_ERR));
        assertThat(channel(a, b).state()).isEqualTo(RdState.ERROR);
    }

    @Tag("DG-11.1-19")
    @Test
    @DisplayName("CLOSED, RD-OPEN: RD-ACCEPT; half-open until a datagram shows the tag, gone after 10 s without")
    void halfOpen() {
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(1));
        assertThat(channel(b, a).state()).isEqualTo(RdState.OPEN);
        assertThat(b.endpoint.opener.halfOpen()).isEqualTo(1);
        a.kill();
        sim.run(RdSettings.HALF_OPEN - RdSim.millis(10));
        assertThat(channel(b, a)).isNotNull();
        sim.run(RdSim.millis(20));
        assertThat(channel(b, a)).isNull();
        assertThat(b.endpoint.opener.halfOpen()).isZero();
    }

    @Tag("DG-11.1-2")
    @Test
    @DisplayName("CLOSED, RD-OPEN and then data: the channel is no longer half-open")
    void confirmed() {
        a.post(b, 3, 2);
        settle();
        assertThat(b.endpoint.opener.halfOpen()).isZero();
        assertDelivered();
    }

    @Tag("DG-11.2-5")
    @Tag("DG-11.1-21")
    @Test
    @DisplayName("OPENING, RD-ACCEPT and no work left: an RD-ACK within the delay, so that the peer sees its tag")
    void nothingFollows() {
        a.post(b, 1, 1);
        a.upper.cancel();
        sim.run(RdSim.millis(1) + RdSettings.ACK_DELAY + RdSim.millis(1));
        assertThat(sim.sent(a, Kind.RD_ACK)).hasSize(1);
        assertThat(sim.sent(a, Kind.DATA)).isEmpty();
        assertThat(b.endpoint.opener.halfOpen()).isZero();
    }

    @Tag("DG-11.1-1")
    @Tag("DG-11.1-2")
    @Tag("DG-11.1-7")
    @Test
    @DisplayName("CLOSED, RD-OPEN of an unproved source: CHALLENGE; accepted with the cookie")
    void challenge() {
        b.strangers.add(a.address);
        a.post(b, 1, 1);
        settle();
        assertDelivered();
        assertThat(sim.sent(b, Kind.CHALLENGE)).hasSize(1);
        assertThat(sim.sent(a, Kind.RD_OPEN)).extracting(p -> p.cookie).containsExactly(false, true);
    }

    @Tag("DG-11.3-18")
    @ParameterizedTest(name = "round trip of {0} ms, unproved source {1}")
    @CsvSource({"2,true", "60,true", "99,true", "101,true", "150,true", "900,true", "99,false", "101,false", "900,false"
    })
    @DisplayName("OPENING: an RD-ACCEPT that may answer one of several RD-OPENs is no round-trip sample")
    void roundTripOfTheOpening(int millis, boolean stranger) {
        sim.delay = RdSim.millis(millis) / 2;
        if (stranger) {
            b.strangers.add(a.address);
        }
        a.post(b, 1, 1);
        assertThat(sim.runUntil(() -> channel(a, b).state() == RdState.OPEN, RdSim.millis(10_000)))
                .isTrue();
        assertThat(channel(a, b).transfer().smoothed()).isEqualTo(millis < 100 ? RdSim.millis(millis) : 0);
        settle();
        assertThat(channel(a, b).transfer().roundTrip()).isGreaterThanOrEqualTo(RdSim.millis(millis));
        assertThat(channel(b, a).transfer().roundTrip())
                .satisfiesAnyOf(
                        known -> assertThat(known).isZero(),
                        known -> assertThat(known).isGreaterThanOrEqualTo(RdSim.millis(millis)));
    }

    @Tag("DG-11.3-18")
    @Test
    @DisplayName("OPENING: nor is an RD-ACCEPT after a duplicated CHALLENGE")
    void roundTripAfterADoubledChallenge() {
        sim.delay = RdSim.millis(30);
        b.strangers.add(a.address);
        a.post(b, 1, 1);
        sim.run(RdSim.millis(70));
        sim.after(
                RdSim.millis(45), () -> sim.deliver(sim.sent(b, Kind.CHALLENGE).get(0)));
        assertThat(sim.runUntil(() -> channel(a, b).state() == RdState.OPEN, RdSim.millis(10_000)))
                .isTrue();
        assertThat(sim.sent(a, Kind.RD_OPEN)).hasSize(3);
        assertThat(channel(a, b).transfer().smoothed()).isZero();
    }

    @Tag("DG-5.5-2")
    @Test
    @DisplayName("OPENING: at most two CHALLENGEs are answered at once; one of another question is not matched")
    void challengesWithoutEnd() {
        sim.drops = p -> p.kind == Kind.RD_OPEN && p.cookie;
        b.strangers.add(a.address);
        a.post(b, 1, 1);
        sim.run(RdSim.millis(50));
        RdPacket challenge = sim.sent(b, Kind.CHALLENGE).get(0);
        int asked = sim.sent(a, Kind.RD_OPEN).size();
        for (int i = 0; i < 5; i++) {
            sim.deliver(challenge);
        }
        assertThat(sim.sent(a, Kind.RD_OPEN)).hasSize(asked + 1);
        RdPacket other = copyOf(challenge);
        other.shim.message(challenge.shim.messageId() + 1, 0);
        sim.deliver(other);
        assertThat(a.counted(UdpCounter.RX_REPLY_UNMATCHED)).isEqualTo(1);
    }

    @Tag("DG-11.1-18")
    @Test
    @DisplayName(
            "CLOSED, RD-OPEN with too many half-open: CHALLENGE even for validated sources; accepted with the cookie")
    void manyHalfOpen() {
        RdSettings few =
                new RdSettings(256, 1024, 64 << 20, 100, 2, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false);
        RdHost c = new RdHost(sim, 3, 19, few);
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        for (int i = 0; i < 3; i++) {
            new RdHost(sim, 10 + i, 17).post(c, 1, 1);
        }
        sim.run(RdSim.millis(2));
        assertThat(sim.sent(c, Kind.CHALLENGE)).hasSize(1);
        assertThat(c.endpoint.channels()).isEqualTo(3);
        assertThat(c.counted(UdpCounter.RD_HALF_OPEN)).isEqualTo(1);
    }

    @Tag("DG-11.6-4")
    @Test
    @DisplayName("CLOSED, RD-OPEN with the table full: RD-RESET 4; the opener keeps trying until there is room")
    void tableFull() {
        RdSettings one =
                new RdSettings(256, 1024, 64 << 20, 1, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false);
        RdHost c = new RdHost(sim, 3, 19, one);
        a.post(c, 1, 1);
        sim.run(RdSim.millis(50));
        b.post(c, 1, 1);
        sim.run(RdSim.millis(500));
        assertThat(sim.sent(c, Kind.RD_RESET)).isNotEmpty().allSatisfy(p -> {
            assertThat(p.reason).isEqualTo(RdResetReason.BUSY);
            assertThat(p.shim.key()).isEqualTo(channel(b, c).tag);
        });
        assertThat(c.counted(UdpCounter.RD_BUSY)).isPositive();
        a.endpoint.close();
        settle();
        assertThat(b.upper.messages.get(0).status).isEqualTo(OperationStatus.SUCCESS);
        assertThat(b.upper.lost).isEmpty();
    }

    @Test
    @DisplayName("all channels belong to one host: one of another host evicts one of them, whatever the ports")
    void oneHostTakesAll() {
        RdSettings few =
                new RdSettings(256, 1024, 64 << 20, 8, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false);
        RdHost c = new RdHost(sim, 3, 19, few);
        for (int i = 0; i < 8; i++) {
            new RdHost(sim, 100 + i, 17).post(c, 1, 1);
        }
        sim.run(RdSim.millis(50));
        assertThat(c.endpoint.channels()).isEqualTo(8);
        RdHost other = new RdHost(sim, new DatagramAddress().setIpv4(0x0a00_0001, 100), 17, RdSettings.DEFAULT);
        other.post(c, 1, 1);
        assertThat(sim.runUntil(other.upper::allDone, RdSim.millis(20))).isTrue();
        assertThat(c.counted(UdpCounter.RD_TAKEN_BACK)).isEqualTo(1);
        assertThat(c.counted(UdpCounter.RD_BUSY)).isZero();
        assertThat(c.endpoint.channels()).isEqualTo(8);
        // One of the same host: as soon as a channel is idle.
        RdHost late = new RdHost(sim, 99, 17);
        late.post(c, 1, 1);
        assertThat(sim.runUntil(late.upper::allDone, RdSim.millis(2500))).isTrue();
    }

    private RdHost elsewhere(int host) {
        return new RdHost(sim, new DatagramAddress().setIpv4(0x0a00_0000 + host, 100), 17, RdSettings.DEFAULT);
    }

    @Test
    @DisplayName("all channels are idle, with different addresses: one of them is evicted")
    void idleOfAnyAddress() {
        RdHost c = new RdHost(
                sim,
                3,
                19,
                new RdSettings(256, 1024, 64 << 20, 4, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false));
        for (int i = 0; i < 4; i++) {
            elsewhere(1 + i).post(c, 1, 1);
        }
        sim.run(RdSim.millis(1500));
        assertThat(c.endpoint.channels()).isEqualTo(4);
        RdHost late = elsewhere(9);
        late.post(c, 1, 1);
        assertThat(sim.runUntil(late.upper::allDone, RdSim.millis(20))).isTrue();
        assertThat(c.counted(UdpCounter.RD_TAKEN_BACK)).isEqualTo(1);
        assertThat(c.counted(UdpCounter.RD_BUSY)).isZero();
    }

    @Test
    @DisplayName("failed channels keep their places until they are reset, but are evicted before all others")
    void failedAreBounded() {
        RdHost c = new RdHost(
                sim,
                3,
                19,
                new RdSettings(256, 1024, 64 << 20, 4, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false));
        for (int i = 0; i < 12; i++) {
            RdHost peer = new RdHost(sim, 100 + i, 17);
            peer.post(c, 1, 1);
            sim.run(RdSim.millis(50));
            c.post(peer, 1, 1); // there is work for the peer, so only the program can remove the channel
            peer.kill();
            sim.run(RdSim.millis(35_000));
            assertThat(c.upper.lost).hasSize(i + 1);
            assertThat(c.endpoint.channels()).isLessThanOrEqualTo(4);
        }
        elsewhere(1).post(c, 1, 1);
        elsewhere(2).post(c, 1, 1);
        sim.run(RdSim.millis(20));
        RdHost third = elsewhere(3);
        third.post(c, 1, 1);
        assertThat(sim.runUntil(third.upper::allDone, RdSim.millis(20))).isTrue();
        assertThat(c.endpoint.channels()).isEqualTo(4);
        assertThat(c.endpoint.find(new DatagramAddress().setIpv4(0x0a00_0001, 100), 17))
                .isNotNull();
        assertThat(c.endpoint.find(new DatagramAddress().setIpv4(0x0a00_0002, 100), 17))
                .isNotNull();
    }

    @Test
    @DisplayName("a failed channel is evicted before a working one that has been idle for longer")
    void failedGiveWayFirst() {
        RdHost c = new RdHost(
                sim,
                3,
                19,
                new RdSettings(256, 1024, 64 << 20, 3, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false));
        elsewhere(1).post(c, 1, 1);
        elsewhere(2).post(c, 1, 1);
        sim.run(RdSim.millis(1500));
        RdHost fails = elsewhere(3);
        fails.post(c, 1, 1);
        sim.run(RdSim.millis(50));
        fails.kill();
        c.post(fails, 1, 1);
        assertThat(sim.runUntil(() -> !c.upper.lost.isEmpty(), RdSim.millis(35_000)))
                .isTrue();
        RdHost late = elsewhere(4);
        late.post(c, 1, 1);
        assertThat(sim.runUntil(late.upper::allDone, RdSim.millis(20))).isTrue();
        assertThat(c.endpoint.find(fails.address, fails.number)).isNull();
        assertThat(c.endpoint.channels()).isEqualTo(3);
    }

    @Test
    @DisplayName("a channel whose peer sends or acknowledges is not idle, however old it is")
    void activeStays() {
        RdHost c = new RdHost(sim, 3, 19, RdSettings.of(UdpSettings.of(Map.of("jwarp.rd.channels", "2"))));
        RdHost active = elsewhere(1);
        active.post(c, 1, 1);
        sim.run(RdSim.millis(10));
        elsewhere(2).post(c, 1, 1);
        for (int i = 0; i < 20; i++) {
            sim.run(RdSim.millis(100));
            active.post(c, 1, 1);
        }
        RdHost late = elsewhere(3);
        late.post(c, 1, 1);
        assertThat(sim.runUntil(late.upper::allDone, RdSim.millis(20))).isTrue();
        assertThat(c.endpoint.find(active.address, active.number)).isNotNull();
    }

    @Tag("DG-13-6")
    @Test
    @DisplayName("an eviction with data in flight: the requests end with PEER_RESET, and all memory is free")
    void displacedUnderWay() {
        RdHost c = new RdHost(
                sim,
                3,
                19,
                new RdSettings(256, 1024, 64 << 20, 1, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false));
        c.post(a, 1, 1);
        sim.run(RdSim.millis(1500));
        sim.drops = p -> p.from.equals(c.address) && p.kind == Kind.DATA;
        c.post(a, 1, 1);
        sim.run(RdSim.millis(1500));
        sim.drops = p -> false;
        elsewhere(1).post(c, 1, 1);
        sim.run(RdSim.millis(20));
        assertThat(c.upper.messages.get(1).status).isEqualTo(OperationStatus.PEER_RESET);
        assertThat(c.endpoint.find(a.address, a.number)).isNull();
        c.post(a, 1, 1);
        assertThat(sim.runUntil(c.upper::allDone, RdSim.millis(3000))).isTrue();
        assertThat(c.upper.messages.get(2).status).isEqualTo(OperationStatus.SUCCESS);
    }

    @Test
    @DisplayName("an evicted peer opens a new channel, and nothing is lost or duplicated")
    void displacedOpensAnew() {
        RdSettings one =
                new RdSettings(256, 1024, 64 << 20, 1, 64, "cubic", 0, RdSettings.DEFAULT.giveUpNanos(), false);
        RdHost c = new RdHost(sim, 3, 19, one);
        a.post(c, 1, 3);
        sim.run(RdSim.millis(1500));
        b.post(c, 1, 3);
        sim.run(RdSim.millis(1500));
        a.post(c, 1, 3);
        sim.run(RdSim.millis(3000));
        RdDeliveryTest.assertExactlyOnceInOrder(a.upper, c.upper, "a");
        RdDeliveryTest.assertExactlyOnceInOrder(b.upper, c.upper, "b");
        assertThat(c.counted(UdpCounter.RD_TAKEN_BACK)).isEqualTo(2);
    }

    @Tag("DG-11.1-21")
    @Test
    @DisplayName("half-open: no data is sent to an unconfirmed peer; our own RD-OPEN confirms it")
    void noDataToHalfOpen() {
        sim.drops = p -> p.from.equals(a.address) && p.kind != Kind.RD_OPEN; // an attacker with a's address
        a.post(b, 1, 1);
        sim.run(RdSim.millis(2));
        b.post(a, 1, 100);
        sim.run(RdSim.millis(4000));
        assertThat(sim.sent(b, Kind.DATA)).isEmpty();
        assertThat(sim.sent(b, Kind.RD_OPEN)).hasSizeBetween(4, 9);
        sim.drops = p -> false;
        settle();
        assertDelivered();
    }

    @Tag("DG-4.3-1")
    @Tag("DG-11.1-17")
    @Test
    @DisplayName("both open at once: one channel, no RD-RESET, all messages are delivered")
    void bothAtOnce() {
        a.post(b, 5, 5);
        b.post(a, 5, 5);
        settle();
        assertDelivered();
        assertThat(a.endpoint.channels()).isEqualTo(1);
        assertThat(b.endpoint.channels()).isEqualTo(1);
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
        assertThat(channel(a, b).peerTag()).isEqualTo(channel(b, a).tag);
        assertThat(channel(b, a).peerTag()).isEqualTo(channel(a, b).tag);
    }

    @ParameterizedTest(name = "seed block {0}")
    @ValueSource(longs = {0, 1, 2, 3})
    @DisplayName(
            "both open at nearly the same time, with loss, duplicates and late copies: always one channel, no failure")
    void bothAtOnceWithFaults(long block) {
        for (long seed = block * 100; seed < block * 100 + 100; seed++) {
            RdSim lossy = new RdSim(seed);
            lossy.loss = 0.2;
            lossy.duplication = 0.2;
            lossy.jitter = RdSim.millis(150);
            RdHost c = new RdHost(lossy, 1, 17);
            RdHost d = new RdHost(lossy, 2, 18);
            c.post(d, 2, 3);
            lossy.after(lossy.random.nextLong(RdSim.millis(200)), () -> d.post(c, 2, 3));
            lossy.run(RdSim.millis(200));
            assertThat(lossy.runUntil(() -> c.upper.allDone() && d.upper.allDone(), RdSim.millis(60_000)))
                    .as("seed %d", seed)
                    .isTrue();
            RdDeliveryTest.assertExactlyOnceInOrder(c.upper, d.upper, "seed " + seed);
            RdDeliveryTest.assertExactlyOnceInOrder(d.upper, c.upper, "seed " + seed);
            assertThat(c.upper.lost).as("seed %d", seed).isEmpty();
            assertThat(d.upper.lost).as("seed %d", seed).isEmpty();
        }
    }

    @Tag("DG-11.1-21")
    @Test
    @DisplayName(
            "OPENING, a forged RD-OPEN: the peer's RD-ACCEPT, which shows our tag, corrects the channel; nothing fails")
    void forgedWhileOpening() {
        a.post(b, 3, 2);
        RdPacket forged = new RdPacket(Kind.RD_OPEN, b.address, a.address);
        forged.shim.addressed(a.number, b.number, a.key).message(99, 16);
        forged.tag = 4711;
        forged.psn = 12345;
        forged.window = 256;
        sim.deliver(forged);
        assertThat(channel(a, b).peerTag()).isEqualTo(4711);
        settle();
        assertDelivered();
        assertThat(a.upper.lost).isEmpty();
        assertThat(b.upper.lost).isEmpty();
        sim.deliver(copyOf(sim.sent(b, Kind.RD_ACCEPT).get(0)));
        RdPacket late = copyOf(sim.sent(b, Kind.RD_ACCEPT).get(0));
        late.tag++;
        sim.deliver(late);
        assertThat(a.counted(UdpCounter.RD_TAG))
                .as("only until our tag is shown")
                .isEqualTo(1);
    }

    @Test
    @DisplayName("OPENING, RD-OPEN of the peer while our own is lost: RD-ACCEPT, and both continue")
    void ownOpenLost() {
        sim.drops = p -> p.kind == Kind.RD_OPEN && p.from.equals(a.address);
        a.post(b, 1, 1);
        sim.run(RdSim.millis(10));
        b.post(a, 1, 1);
        settle();
        assertDelivered();
        assertThat(sim.sent(a, Kind.RD_ACCEPT)).hasSize(1);
    }

    @Tag("DG-11.1-3")
    @Test
    @DisplayName("OPEN, RD-OPEN with the known tag: RD-ACCEPT again, with the PSN expected now")
    void acceptLost() {
        int[] accepts = {0};
        sim.drops = p -> p.kind == Kind.RD_ACCEPT && accepts[0]++ < 2;
        a.post(b, 1, 1);
        settle();
        assertDelivered();
        assertThat(sim.sent(b, Kind.RD_ACCEPT)).hasSize(3);
        // A late copy of that RD-OPEN changes nothing.
        sim.wire.clear();
        sim.drops = p -> false;
        sim.deliver(copyOf(openOf(a)));
        a.post(b, 1, 1);
        settle();
        assertDelivered();
    }

    private RdPacket openOf(RdHost host) {
        RdHost to = host == a ? b : a;
        RdChannel channel = channel(host, to);
        RdPacket open = new RdPacket(Kind.RD_OPEN, host.address, to.address);
        open.shim.addressed(to.number, host.number, to.key).message(99, 16);
        open.tag = channel.tag;
        open.psn = 12345;
        open.window = 256;
        return open;
    }

    @Tag("DG-11.1-10")
    @Test
    @DisplayName("OPEN, RD-OPEN with another tag: a bare RD-ACK, no change, and a live peer ignores it")
    void forgedOpen() {
        a.post(b, 1, 1);
        settle();
        int tag = channel(b, a).tag;
        sim.wire.clear();
        RdPacket forged = openOf(a);
        forged.tag ^= 0x5555;
        sim.deliver(forged);
        sim.run(RdSim.millis(20));
        assertThat(sim.sent(b, Kind.RD_ACK)).singleElement().satisfies(p -> {
            assertThat(p.words).isEmpty();
            assertThat(p.octets).as("no longer than the question").isLessThanOrEqualTo(60);
        });
        assertThat(sim.wire).hasSize(1);
        assertThat(channel(b, a).tag).isEqualTo(tag);
        a.post(b, 1, 1);
        settle();
        assertDelivered();
    }

    @Tag("DG-11.1-16")
    @Test
    @DisplayName("OPEN, RD-ACCEPT again: ignored with the same tag in it, counted with another one")
    void acceptAgain() {
        a.post(b, 1, 1);
        settle();
        RdPacket accept = sim.sent(b, Kind.RD_ACCEPT).get(0);
        sim.deliver(accept);
        assertThat(a.counted(UdpCounter.RD_TAG)).isZero();
        RdPacket other = copyOf(accept);
        other.tag++;
        sim.deliver(other);
        assertThat(a.counted(UdpCounter.RD_TAG)).isEqualTo(1);
        a.post(b, 1, 1);
        settle();
        assertDelivered();
    }

    @Tag("DG-11.1-5")
    @Test
    @DisplayName("any state, RD-ACCEPT for a tag of no channel: RD-RESET 1, not reflected, with the tag in its body")
    void acceptOfNobody() {
        RdPacket accept = new RdPacket(Kind.RD_ACCEPT, b.address, a.address);
        accept.shim.addressed(a.number, b.number, 4711).flags(true, false, false, false);
        accept.tag = 815;
        sim.deliver(accept);
        assertThat(sim.sent(a, Kind.RD_RESET)).singleElement().satisfies(p -> {
            assertThat(p.reflected).isFalse();
            assertThat(p.shim.key()).isEqualTo(815);
            assertThat(p.reason).isEqualTo(RdResetReason.NO_CHANNEL);
        });
    }

    @Tag("DG-11.1-8")
    @Test
    @DisplayName("OPENING, RD-ACCEPT with an Ack that is not our first PSN: dropped")
    void acceptWithWrongAck() {
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(2));
        RdPacket wrong = copyOf(sim.sent(b, Kind.RD_ACCEPT).get(0));
        wrong.ack++;
        sim.deliver(wrong);
        assertThat(a.counted(UdpCounter.RD_ACK_BAD)).isEqualTo(1);
        assertThat(channel(a, b).state()).isEqualTo(RdState.OPENING);
    }

    @Tag("DG-11.1-9")
    @Test
    @DisplayName(
            "OPENING, DATA with our tag before the RD-ACCEPT: dropped, as the first PSN is unknown; repeated later")
    void dataBeforeAccept() {
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(2));
        RdPacket early = new RdPacket(Kind.DATA, b.address, a.address);
        early.shim.addressed(a.number, b.number, channel(a, b).tag).message(1, RdUpper.MARKS);
        early.shim.flags(false, true, false, false);
        early.psn = 7;
        early.window = 256;
        early.segment = ByteBuffer.allocate(RdUpper.HEADER + RdUpper.MARKS);
        sim.deliver(early);
        assertThat(a.upper.offered).isZero();
        assertThat(channel(a, b).state()).isEqualTo(RdState.OPENING);
        sim.drops = p -> false;
        b.post(a, 1, 1);
        settle();
        assertDelivered();
    }

    @Tag("DG-11.1-11")
    @Tag("DG-11.1-19")
    @Test
    @DisplayName("OPEN, idle 60 s and new work: a new RD-OPEN with the previous tag, new tags, old records end")
    void idleThenWork() {
        a.post(b, 1, 1);
        settle();
        int tagOfA = channel(a, b).tag;
        int tagOfB = channel(b, a).tag;
        sim.wire.clear();
        sim.run(RdSettings.REOPEN_AFTER);
        a.post(b, 1, 1);
        settle();
        assertDelivered();
        assertThat(sim.sent(a, Kind.RD_OPEN))
                .singleElement()
                .satisfies(p -> assertThat(p.previousTag).isEqualTo(tagOfB));
        assertThat(channel(a, b).tag).isNotEqualTo(tagOfA);
        assertThat(channel(b, a).tag).isNotEqualTo(tagOfB);
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
        assertThat(b.upper.lost).containsExactly(new RdUpper.Lost(a.address, PEER_RESET, null, false));
    }

    @Tag("DG-11.1-17")
    @ParameterizedTest
    @ValueSource(longs = {0, 400, 700, 1100})
    @DisplayName("both reopen, at once or nearly: one channel with new tags, no RD-RESET, old records end at both")
    void bothAnew(long apart) {
        a.post(b, 1, 1);
        b.post(a, 1, 1);
        settle();
        int tagOfA = channel(a, b).tag;
        int tagOfB = channel(b, a).tag;
        sim.run(RdSettings.REOPEN_AFTER + RdSim.millis(10));
        sim.wire.clear();
        a.post(b, 3, 2);
        sim.after(apart * 1000, () -> b.post(a, 3, 2));
        settle();
        sim.run(RdSim.millis(20));
        assertDelivered();
        assertThat(channel(a, b).tag)
                .isNotEqualTo(tagOfA)
                .isEqualTo(channel(b, a).peerTag());
        assertThat(channel(b, a).tag)
                .isNotEqualTo(tagOfB)
                .isEqualTo(channel(a, b).peerTag());
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
        assertThat(a.upper.lost).contains(new RdUpper.Lost(b.address, PEER_RESET, null, false));
        assertThat(b.upper.lost).contains(new RdUpper.Lost(a.address, PEER_RESET, null, false));
        assertThat(a.endpoint.opener.halfOpen() + b.endpoint.opener.halfOpen()).isZero();
    }

    @Tag("DG-11.1-5")
    @Test
    @DisplayName(
            "OPENING again, an old RD-ACCEPT of the channel before: no RD-RESET, which could only end the peer's channel")
    void oldAcceptWhileOpeningAnew() {
        a.post(b, 1, 1);
        settle();
        RdPacket accept = copyOf(sim.sent(b, Kind.RD_ACCEPT).get(0));
        sim.run(RdSettings.REOPEN_AFTER);
        sim.drops = p -> p.kind == Kind.RD_OPEN;
        a.post(b, 1, 1);
        sim.deliver(accept);
        sim.run(RdSim.millis(2));
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        sim.drops = p -> false;
        settle();
        assertDelivered();
    }

    @Tag("DG-11.1-19")
    @Tag("DG-11.1-17")
    @Test
    @DisplayName(
            "OPENING again, an old RD-OPEN of the channel before: dropped, so that DATA of the new one meets no old PSN")
    void oldOpenWhileOpeningAnew() {
        b.post(a, 1, 1);
        settle();
        RdPacket open = copyOf(sim.sent(b, Kind.RD_OPEN).get(0));
        sim.run(RdSettings.REOPEN_AFTER);
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        a.post(b, 1, 1);
        sim.deliver(open);
        assertThat(channel(a, b).state()).isEqualTo(RdState.OPENING);
        sim.run(RdSim.millis(1));
        b.post(a, 1, 1); // b has the RD-OPEN, so this shows the new tag
        sim.run(RdSim.millis(1));
        sim.drops = p -> false;
        settle();
        assertDelivered();
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
    }

    @Tag("DG-11.6-6")
    @Tag("DG-11.6-1")
    @Test
    @DisplayName(
            "OPEN but unconfirmed, RD-RESET 1 for the RD-ACCEPT of an old RD-OPEN: the outstanding RD-OPEN continues"
                    + " unchanged")
    void resetWhileUnconfirmed() {
        sim.drops = p -> p.kind == Kind.RD_OPEN;
        a.post(b, 1, 1);
        int tag = channel(a, b).tag;
        RdPacket old = new RdPacket(Kind.RD_OPEN, b.address, a.address);
        old.shim.addressed(a.number, b.number, a.key).message(99, 16);
        old.tag = 4711;
        old.psn = 12345;
        old.window = 256;
        sim.deliver(old);
        assertThat(channel(a, b).state()).isEqualTo(RdState.OPEN);
        sim.run(RdSim.millis(2));
        assertThat(sim.sent(b, Kind.RD_RESET)).hasSize(1);
        assertThat(channel(a, b).state()).isEqualTo(RdState.OPENING);
        assertThat(channel(a, b).tag).isEqualTo(tag);
        sim.drops = p -> false;
        settle();
        assertDelivered();
        assertThat(sim.sent(a, Kind.RD_OPEN)).extracting(p -> p.tag).containsOnly(tag);
        assertThat(a.endpoint.opener.halfOpen()).isZero();
    }

    @Test
    @DisplayName("OPEN, the peer reopens while we have datagrams in flight: they continue, once, without a failure")
    void reopenedUnderWay() {
        a.post(b, 1, 1);
        settle();
        sim.run(RdSettings.REOPEN_AFTER - RdSim.millis(100));
        sim.drops = p -> p.kind == Kind.DATA && p.from.equals(b.address); // a receives nothing and is idle for 60 s
        b.post(a, 3, 4);
        sim.run(RdSim.millis(110));
        assertThat(sim.sent(b, Kind.RD_OPEN)).as("b was not idle for 60 s").isEmpty();
        // The first two RD-OPENs are lost, so b's repetitions come with a's old tag while a is opening.
        int[] opens = {0};
        sim.drops = p -> p.kind == Kind.RD_OPEN && opens[0]++ < 2;
        a.post(b, 1, 2);
        settle();
        assertDelivered();
        assertThat(a.counted(UdpCounter.RD_TAG)).isPositive();
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
    }

    @Test
    @DisplayName(
            "OPEN, the peer reopens and our datagrams in flight are old: they may have arrived, so they fail and are not"
                    + " repeated")
    void reopenedInDoubt() {
        RdSettings s = RdSettings.DEFAULT;
        RdSettings patient = new RdSettings(
                256, 1024, 64 << 20, s.channels(), s.halfOpen(), "cubic", 0, RdSim.millis(300_000), false);
        RdHost c = new RdHost(sim, 3, 19, patient);
        sim.drops = p -> p.kind == Kind.RD_ACK && p.from.equals(a.address);
        c.post(a, 1, 1);
        sim.run(RdSim.millis(20));
        assertThat(a.upper.from(c.upper)).as("delivered, with the acks lost").hasSize(1);
        sim.drops = p -> p.kind == Kind.DATA && p.from.equals(c.address);
        sim.run(RdSettings.REOPEN_AFTER);
        sim.drops = p -> false;
        a.post(c, 1, 1);
        assertThat(sim.runUntil(() -> a.upper.allDone() && c.upper.allDone(), RdSim.millis(1000)))
                .isTrue();
        sim.run(RdSim.millis(100));
        assertThat(a.upper.from(c.upper)).as("exactly once").hasSize(1);
        assertThat(c.upper.messages.get(0).status).isEqualTo(PEER_RESET);
        c.post(a, 1, 1);
        sim.run(RdSim.millis(100));
        assertThat(c.upper.messages.get(1).status).isEqualTo(OperationStatus.SUCCESS);
    }

    @Test
    @DisplayName("OPEN, the peer reopens: datagrams in flight are repeated at once, not probe by probe")
    void reopenedRepeatsAtOnce() {
        a.post(b, 1, 1);
        settle();
        sim.run(RdSettings.REOPEN_AFTER - RdSim.millis(400));
        sim.drops = p -> p.kind == Kind.DATA && p.from.equals(b.address);
        b.post(a, 8, 1);
        sim.run(RdSim.millis(405));
        sim.drops = p -> false;
        long begin = sim.now();
        a.post(b, 1, 1);
        settle();
        assertThat(b.upper.messages.get(0).doneAt - begin)
                .as("a few round trips of 1 ms")
                .isLessThan(RdSim.millis(6));
        assertDelivered();
    }

    @Tag("DG-11.1-19")
    @Test
    @DisplayName("OPEN, idle 120 s: removed at both ends, and work opens a new channel")
    void forgotten() {
        a.post(b, 1, 1);
        settle();
        sim.run(RdSettings.FORGET_AFTER + RdSim.millis(10));
        assertThat(a.endpoint.channels() + b.endpoint.channels()).isZero();
        a.post(b, 1, 1);
        settle();
        assertDelivered();
    }

    @Test
    @DisplayName("a peer without the old channel can open a new one, although this end still has the old one")
    void forgottenByOne() {
        a.post(b, 1, 1);
        settle();
        List<RdUpper.Message> before = List.copyOf(a.upper.messages);
        RdHost again = restarted(a);
        again.post(b, 2, 2);
        assertThat(sim.runUntil(again.upper::allDone, RdSim.millis(10_000))).isTrue();
        RdDeliveryTest.assertExactlyOnceInOrder(again.upper, b.upper, "new incarnation");
        assertThat(before).allSatisfy(m -> assertThat(m.status).isEqualTo(OperationStatus.SUCCESS));
        assertThat(b.upper.lost).containsExactly(new RdUpper.Lost(a.address, PEER_RESET, null, false));
    }

    private RdHost restarted(RdHost host) {
        host.kill();
        return new RdHost(sim, host.address.port(), host.number);
    }
}
