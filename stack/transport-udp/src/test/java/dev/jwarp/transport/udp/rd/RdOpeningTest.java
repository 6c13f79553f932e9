package dev.jwarp.transport.udp.rd;

import static dev.jwarp.llp.OperationStatus.PEER_RESET;
import static dev.jwarp.llp.OperationStatus.RETRY_EXC_ERR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.wire.Kind;
import dev.jwarp.transport.udp.wire.RdResetReason;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Opening a channel (datagram-iWARP §11)")
class RdOpeningTest extends RdPair {
    RdOpeningTest() {
        sim.record = true;
    }

    /** Runs until all messages are delivered, and a little longer. */
    private void deliverAll() {
        settle(60_000);
        sim.run(RdSim.millis(5));
        assertDelivered();
    }

    /** Sends a message from a to b, which is delivered, as all before it. */
    private void deliverOne() {
        a.post(b, 1, 1);
        deliverAll();
    }

    private void assertNoResets() {
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
    }

    private void assertOneChannel() {
        assertThat(a.endpoint.channels()).isEqualTo(1);
        assertThat(b.endpoint.channels()).isEqualTo(1);
        assertThat(a.channel(b).peerTag()).isEqualTo(b.channel(a).tag);
        assertThat(b.channel(a).peerTag()).isEqualTo(a.channel(b).tag);
        assertNoResets();
    }

    /** {@return an RD-OPEN with a tag that is not of a channel, forged or of the past} */
    private static RdPacket unknownOpen(RdHost from, RdHost to) {
        RdPacket open = new RdPacket(Kind.RD_OPEN, from.address, to.address);
        open.shim.addressed(to.number, from.number, to.key).message(99, 16);
        open.tag = 4711;
        open.psn = 12345;
        open.window = 256;
        return open;
    }

    /** {@return another host, which has at most so many channels} */
    private RdHost limited(int channels, int halfOpen) {
        return new RdHost(sim, 3, 19, RdHost.limits(256, 1024, channels, halfOpen));
    }

    private RdHost elsewhere(int host) {
        return new RdHost(sim, new DatagramAddress().setIpv4(0x0a00_0000 + host, 100), 17, RdSettings.DEFAULT);
    }

    /** Sends a message, which is delivered without an attempt that has to be repeated. */
    private void deliverAtOnce(RdHost from, RdHost to) {
        from.post(to, 1, 1);
        sim.settle(20, from);
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
        sim.settle(20_000, a);
        assertThat(sim.sent(a, Kind.RD_OPEN))
                .extracting(p -> p.octets)
                .containsExactly(100, 300, 700, 1500, 2500, 3500, 4500);
        assertThat(sim.sent(a, Kind.RD_OPEN).stream()
                        .map(p -> p + " " + p.shim.messageId())
                        .distinct())
                .as("tag, PSN and Message Id")
                .hasSize(1);
        assertThat(sim.now() - begin).isEqualTo(RdSettings.OPEN_DEADLINE);
        assertThat(a.upper.messages).allSatisfy(m -> assertThat(m.status).isEqualTo(RETRY_EXC_ERR));
        assertThat(a.channel(b).state()).isEqualTo(RdState.ERROR);
    }

    @Tag("DG-11.1-19")
    @Test
    @DisplayName("CLOSED, RD-OPEN: RD-ACCEPT; half-open until a datagram shows the tag, gone after 10 s without")
    void halfOpen() {
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        a.post(b, 1, 1);
        sim.run(RdSim.millis(1));
        assertThat(b.channel(a).state()).isEqualTo(RdState.OPEN);
        assertThat(b.endpoint.opener.halfOpen()).isEqualTo(1);
        a.kill();
        sim.run(RdSettings.HALF_OPEN - RdSim.millis(10));
        assertThat(b.channel(a)).isNotNull();
        sim.run(RdSim.millis(20));
        assertThat(b.channel(a)).isNull();
        assertThat(b.endpoint.opener.halfOpen()).isZero();
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
        deliverOne();
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
        sim.await(() -> a.channel(b).state() == RdState.OPEN, 10_000);
        assertThat(a.channel(b).transfer().smoothed()).isEqualTo(millis < 100 ? RdSim.millis(millis) : 0);
        deliverAll();
        assertThat(a.channel(b).transfer().roundTrip()).isGreaterThanOrEqualTo(RdSim.millis(millis));
        assertThat(b.channel(a).transfer().roundTrip())
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
        sim.await(() -> a.channel(b).state() == RdState.OPEN, 10_000);
        assertThat(sim.sent(a, Kind.RD_OPEN)).hasSize(3);
        assertThat(a.channel(b).transfer().smoothed()).isZero();
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
        challenge.shim.message(challenge.shim.messageId() + 1, 0);
        sim.deliver(challenge);
        assertThat(a.counted(UdpCounter.RX_REPLY_UNMATCHED)).isEqualTo(1);
    }

    @Tag("DG-11.1-18")
    @Test
    @DisplayName(
            "CLOSED, RD-OPEN with too many half-open: CHALLENGE even for validated sources; accepted with the cookie")
    void manyHalfOpen() {
        RdHost c = limited(100, 2);
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
        RdHost c = limited(1, 64);
        a.post(c, 1, 1);
        sim.run(RdSim.millis(50));
        b.post(c, 1, 1);
        sim.run(RdSim.millis(500));
        assertThat(sim.sent(c, Kind.RD_RESET)).isNotEmpty().allSatisfy(p -> {
            assertThat(p.reason).isEqualTo(RdResetReason.BUSY);
            assertThat(p.shim.key()).isEqualTo(b.channel(c).tag);
        });
        assertThat(c.counted(UdpCounter.RD_BUSY)).isPositive();
        a.endpoint.close();
        sim.settle(60_000, b);
        assertThat(b.upper.messages.get(0).status).isEqualTo(OperationStatus.SUCCESS);
        assertThat(b.upper.lost).isEmpty();
    }

    @Test
    @DisplayName("all channels belong to one host: one of another host evicts one of them, whatever the ports")
    void oneHostTakesAll() {
        RdHost c = limited(8, 64);
        for (int i = 0; i < 8; i++) {
            new RdHost(sim, 100 + i, 17).post(c, 1, 1);
        }
        sim.run(RdSim.millis(50));
        assertThat(c.endpoint.channels()).isEqualTo(8);
        deliverAtOnce(elsewhere(1), c);
        assertThat(c.counted(UdpCounter.RD_TAKEN_BACK)).isEqualTo(1);
        assertThat(c.counted(UdpCounter.RD_BUSY)).isZero();
        assertThat(c.endpoint.channels()).isEqualTo(8);
        // One of the same host: as soon as a channel is idle.
        RdHost late = new RdHost(sim, 99, 17);
        late.post(c, 1, 1);
        sim.settle(2500, late);
    }

    @Test
    @DisplayName("all channels are idle, with different addresses: one of them is evicted")
    void idleOfAnyAddress() {
        RdHost c = limited(4, 64);
        for (int i = 0; i < 4; i++) {
            elsewhere(1 + i).post(c, 1, 1);
        }
        sim.run(RdSim.millis(1500));
        assertThat(c.endpoint.channels()).isEqualTo(4);
        deliverAtOnce(elsewhere(9), c);
        assertThat(c.counted(UdpCounter.RD_TAKEN_BACK)).isEqualTo(1);
        assertThat(c.counted(UdpCounter.RD_BUSY)).isZero();
    }

    @Test
    @DisplayName("failed channels keep their places until they are reset, but are evicted before all others")
    void failedAreBounded() {
        RdHost c = limited(4, 64);
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
        RdHost first = elsewhere(1);
        RdHost second = elsewhere(2);
        first.post(c, 1, 1);
        second.post(c, 1, 1);
        sim.run(RdSim.millis(20));
        deliverAtOnce(elsewhere(3), c);
        assertThat(c.endpoint.channels()).isEqualTo(4);
        assertThat(c.channel(first)).isNotNull();
        assertThat(c.channel(second)).isNotNull();
    }

    @Test
    @DisplayName("a failed channel is evicted before a working one that has been idle for longer")
    void failedGiveWayFirst() {
        RdHost c = limited(3, 64);
        elsewhere(1).post(c, 1, 1);
        elsewhere(2).post(c, 1, 1);
        sim.run(RdSim.millis(1500));
        RdHost fails = elsewhere(3);
        fails.post(c, 1, 1);
        sim.run(RdSim.millis(50));
        fails.kill();
        c.post(fails, 1, 1);
        sim.await(() -> !c.upper.lost.isEmpty(), 35_000);
        deliverAtOnce(elsewhere(4), c);
        assertThat(c.channel(fails)).isNull();
        assertThat(c.endpoint.channels()).isEqualTo(3);
    }

    @Test
    @DisplayName("a channel whose peer sends or acknowledges is not idle, however old it is")
    void activeStays() {
        RdHost c = limited(2, 1);
        RdHost active = elsewhere(1);
        active.post(c, 1, 1);
        sim.run(RdSim.millis(10));
        elsewhere(2).post(c, 1, 1);
        for (int i = 0; i < 20; i++) {
            sim.run(RdSim.millis(100));
            active.post(c, 1, 1);
        }
        deliverAtOnce(elsewhere(3), c);
        assertThat(c.channel(active)).isNotNull();
    }

    @Tag("DG-13-6")
    @Test
    @DisplayName("an eviction with data in flight: the requests end with PEER_RESET, and all memory is free")
    void displacedUnderWay() {
        RdHost c = limited(1, 64);
        c.post(a, 1, 1);
        sim.run(RdSim.millis(1500));
        sim.drops = p -> p.from.equals(c.address) && p.kind == Kind.DATA;
        c.post(a, 1, 1);
        sim.run(RdSim.millis(1500));
        sim.drops = p -> false;
        elsewhere(1).post(c, 1, 1);
        sim.run(RdSim.millis(20));
        assertThat(c.upper.messages.get(1).status).isEqualTo(OperationStatus.PEER_RESET);
        assertThat(c.channel(a)).isNull();
        c.post(a, 1, 1);
        sim.settle(3000, c);
        assertThat(c.upper.messages.get(2).status).isEqualTo(OperationStatus.SUCCESS);
    }

    @Test
    @DisplayName("an evicted peer opens a new channel, and nothing is lost or duplicated")
    void displacedOpensAnew() {
        RdHost c = limited(1, 64);
        a.post(c, 1, 3);
        sim.run(RdSim.millis(1500));
        b.post(c, 1, 3);
        sim.run(RdSim.millis(1500));
        a.post(c, 1, 3);
        sim.run(RdSim.millis(3000));
        a.assertDelivered(c);
        b.assertDelivered(c);
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
        deliverAll();
    }

    @ParameterizedTest(name = "seed block {0}")
    @ValueSource(longs = {0, 1, 2, 3})
    @DisplayName(
            "both open at nearly the same time, with loss, duplicates and late copies: always one channel, no failure")
    void bothAtOnceWithFaults(long block) {
        for (long seed = block * 100; seed < block * 100 + 100; seed++) {
            RdPair net = new RdPair(seed);
            net.sim.faults(0.2, 0.2, 150);
            net.a.post(net.b, 2, 3);
            net.sim.after(net.sim.random.nextLong(RdSim.millis(200)), () -> net.b.post(net.a, 2, 3));
            net.sim.run(RdSim.millis(200));
            net.settle(60_000);
            net.assertDelivered();
            net.assertNothingLost();
        }
    }

    @Tag("DG-11.1-21")
    @Test
    @DisplayName(
            "OPENING, a forged RD-OPEN: the peer's RD-ACCEPT, which shows our tag, corrects the channel; nothing fails")
    void forgedWhileOpening() {
        a.post(b, 3, 2);
        sim.deliver(unknownOpen(b, a));
        assertThat(a.channel(b).peerTag()).isEqualTo(4711);
        deliverAll();
        assertNothingLost();
    }

    @Tag("DG-11.1-10")
    @Test
    @DisplayName("OPEN, RD-OPEN with another tag: a bare RD-ACK, no change, and a live peer ignores it")
    void forgedOpen() {
        deliverOne();
        int tag = b.channel(a).tag;
        sim.wire.clear();
        sim.deliver(unknownOpen(a, b));
        sim.run(RdSim.millis(20));
        assertThat(sim.sent(b, Kind.RD_ACK)).singleElement().satisfies(p -> {
            assertThat(p.words).isEmpty();
            assertThat(p.octets).as("no longer than the question").isLessThanOrEqualTo(60);
        });
        assertThat(sim.wire).hasSize(1);
        assertThat(b.channel(a).tag).isEqualTo(tag);
        deliverOne();
    }

    @Tag("DG-11.1-11")
    @Tag("DG-11.1-19")
    @Test
    @DisplayName("OPEN, idle 60 s and new work: a new RD-OPEN with the previous tag, new tags, old records end")
    void idleThenWork() {
        deliverOne();
        int tagOfA = a.channel(b).tag;
        int tagOfB = b.channel(a).tag;
        sim.wire.clear();
        sim.run(RdSettings.REOPEN_AFTER);
        deliverOne();
        assertThat(sim.sent(a, Kind.RD_OPEN))
                .singleElement()
                .satisfies(p -> assertThat(p.previousTag).isEqualTo(tagOfB));
        assertThat(a.channel(b).tag).isNotEqualTo(tagOfA);
        assertThat(b.channel(a).tag).isNotEqualTo(tagOfB);
        assertThat(sim.sent(b, Kind.RD_RESET)).isEmpty();
        assertThat(b.upper.lost).containsExactly(new RdUpper.Lost(a.address, PEER_RESET, null, false));
    }

    @Tag("DG-4.3-1")
    @Tag("DG-11.1-17")
    @ParameterizedTest
    @ValueSource(longs = {0, 400, 700, 1100})
    @DisplayName("both open at once, and reopen at once or nearly: one channel with new tags, no RD-RESET, old records"
            + " end at both")
    void bothAnew(long apart) {
        a.post(b, 5, 5);
        b.post(a, 5, 5);
        deliverAll();
        assertOneChannel();
        int tagOfA = a.channel(b).tag;
        int tagOfB = b.channel(a).tag;
        sim.run(RdSettings.REOPEN_AFTER + RdSim.millis(10));
        sim.wire.clear();
        a.post(b, 3, 2);
        sim.after(apart * 1000, () -> b.post(a, 3, 2));
        deliverAll();
        assertOneChannel();
        assertThat(a.channel(b).tag).isNotEqualTo(tagOfA);
        assertThat(b.channel(a).tag).isNotEqualTo(tagOfB);
        assertThat(a.upper.lost).contains(new RdUpper.Lost(b.address, PEER_RESET, null, false));
        assertThat(b.upper.lost).contains(new RdUpper.Lost(a.address, PEER_RESET, null, false));
        assertThat(a.endpoint.opener.halfOpen() + b.endpoint.opener.halfOpen()).isZero();
    }

    @Tag("DG-11.1-5")
    @Test
    @DisplayName(
            "OPENING again, an old RD-ACCEPT of the channel before: no RD-RESET, which could only end the peer's channel")
    void oldAcceptWhileOpeningAnew() {
        deliverOne();
        RdPacket accept = sim.sent(b, Kind.RD_ACCEPT).get(0);
        sim.run(RdSettings.REOPEN_AFTER);
        sim.drops = p -> p.kind == Kind.RD_OPEN;
        a.post(b, 1, 1);
        sim.deliver(accept);
        sim.run(RdSim.millis(2));
        assertThat(sim.sent(a, Kind.RD_RESET)).isEmpty();
        sim.drops = p -> false;
        deliverAll();
    }

    @Tag("DG-11.1-19")
    @Tag("DG-11.1-17")
    @Test
    @DisplayName(
            "OPENING again, an old RD-OPEN of the channel before: dropped, so that DATA of the new one meets no old PSN")
    void oldOpenWhileOpeningAnew() {
        b.post(a, 1, 1);
        deliverAll();
        RdPacket open = sim.sent(b, Kind.RD_OPEN).get(0);
        sim.run(RdSettings.REOPEN_AFTER);
        sim.drops = p -> p.kind == Kind.RD_ACCEPT;
        a.post(b, 1, 1);
        sim.deliver(open);
        assertThat(a.channel(b).state()).isEqualTo(RdState.OPENING);
        sim.run(RdSim.millis(1));
        b.post(a, 1, 1); // b has the RD-OPEN, so this shows the new tag
        sim.run(RdSim.millis(1));
        sim.drops = p -> false;
        deliverAll();
        assertNoResets();
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
        int tag = a.channel(b).tag;
        sim.deliver(unknownOpen(b, a));
        assertThat(a.channel(b).state()).isEqualTo(RdState.OPEN);
        sim.run(RdSim.millis(2));
        assertThat(sim.sent(b, Kind.RD_RESET)).hasSize(1);
        assertThat(a.channel(b).state()).isEqualTo(RdState.OPENING);
        assertThat(a.channel(b).tag).isEqualTo(tag);
        sim.drops = p -> false;
        deliverAll();
        assertThat(sim.sent(a, Kind.RD_OPEN)).extracting(p -> p.tag).containsOnly(tag);
        assertThat(a.endpoint.opener.halfOpen()).isZero();
    }

    @Test
    @DisplayName("OPEN, the peer reopens while we have datagrams in flight: they continue, once, without a failure")
    void reopenedUnderWay() {
        deliverOne();
        sim.run(RdSettings.REOPEN_AFTER - RdSim.millis(100));
        sim.drops = p -> p.kind == Kind.DATA && p.from.equals(b.address); // a receives nothing and is idle for 60 s
        b.post(a, 3, 4);
        sim.run(RdSim.millis(110));
        assertThat(sim.sent(b, Kind.RD_OPEN)).as("b was not idle for 60 s").isEmpty();
        // The first two RD-OPENs are lost, so b's repetitions come with a's old tag while a is opening.
        int[] opens = {0};
        sim.drops = p -> p.kind == Kind.RD_OPEN && opens[0]++ < 2;
        a.post(b, 1, 2);
        deliverAll();
        assertThat(a.counted(UdpCounter.RD_TAG)).isPositive();
        assertNoResets();
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
        sim.settle(1000, a, c);
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
        deliverOne();
        sim.run(RdSettings.REOPEN_AFTER - RdSim.millis(400));
        sim.drops = p -> p.kind == Kind.DATA && p.from.equals(b.address);
        b.post(a, 8, 1);
        sim.run(RdSim.millis(405));
        sim.drops = p -> false;
        long begin = sim.now();
        deliverOne();
        assertThat(b.upper.messages.get(0).doneAt - begin)
                .as("a few round trips of 1 ms")
                .isLessThan(RdSim.millis(6));
        assertDelivered();
    }

    @Tag("DG-11.1-19")
    @Test
    @DisplayName("OPEN, idle 120 s: removed at both ends, and work opens a new channel")
    void forgotten() {
        deliverOne();
        sim.run(RdSettings.FORGET_AFTER + RdSim.millis(10));
        assertThat(a.endpoint.channels() + b.endpoint.channels()).isZero();
        deliverOne();
    }
}
