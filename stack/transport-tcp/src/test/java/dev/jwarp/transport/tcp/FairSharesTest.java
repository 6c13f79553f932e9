package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.mpa.FpduBatch;
import dev.jwarp.vectors.Vectors;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The effect of greedy peers on other connections, without sockets and in virtual time. */
@DisplayName("Connections of one owner")
class FairSharesTest {
    private static final StartParameters OFFER = new StartParameters(8, 4, new byte[0]);
    private static final byte[] SMALL_FPDU =
            HexFormat.of().parseHex(Vectors.byId("OP-SEND").text("hex"));

    private final RecordingHandler handler = new RecordingHandler();
    private long now = TimeUnit.SECONDS.toNanos(1);

    /** A connection, and its output. */
    private final class Peer {
        final RecordingUpper upper = new RecordingUpper();
        final TestDriver driver;

        Peer(MpaEngineFactory engines, String host, int weight) {
            upper.weight = weight;
            driver = TestDriver.connecting(engines, OFFER, upper, handler);
            now += TimeUnit.MILLISECONDS.toNanos(6);
            driver.now = now;
            driver.remote = new InetSocketAddress(host, 7174);
            driver.emss = 65_483;
            driver.connected();
            driver.feedHex(Vectors.byId("MPA-REP2-CS").text("hex"));
            driver.take();
            upper.events.clear();
        }

        Peer(MpaEngineFactory engines, String host) {
            this(engines, host, 1);
        }

        Peer(MpaEngineFactory engines) {
            this(engines, "10.0.0.1");
        }

        /** Has {@code length} octets to send to a peer that accepts none. */
        Peer stalled(int length) {
            driver.window = 0;
            upper.stable = false; // so it is copied
            upper.toSend.add(octets(length));
            driver.pump();
            return this;
        }

        boolean isOver() {
            driver.pump();
            return driver.ending() == Ending.ABORT;
        }
    }

    /**
     * Creates a factory with {@code buffers} send buffers, and half of their memory for unread octets, at least 1 MiB.
     */
    private static MpaEngineFactory sharing(int buffers) {
        long fifth = (long) buffers * FpduBatch.arenaLength(FpduBatch.DEFAULT_CAPACITY) / 2;
        return TestDriver.factory("jwarp.tcp.memory", String.valueOf(5 * fifth));
    }

    /** Connections of one host; each has 50,000 octets to send, and none is without progress for a second. */
    private List<Peer> sixtyStalled(MpaEngineFactory engines) {
        return IntStream.range(0, 60)
                .mapToObj(i -> new Peer(engines).stalled(50_000))
                .toList();
    }

    private static byte[] octets(int length) {
        byte[] octets = new byte[length];
        new Random(length).nextBytes(octets);
        return octets;
    }

    private static byte[] repeated(byte[] fpdu, int times) {
        byte[] many = new byte[fpdu.length * times];
        for (int at = 0; at < many.length; at += fpdu.length) {
            System.arraycopy(fpdu, 0, many, at, fpdu.length);
        }
        return many;
    }

    /** The first octets of an FPDU of 64 KiB. */
    private static byte[] half(int length) {
        byte[] fpdu = octets(length);
        fpdu[0] = (byte) 0xFF;
        fpdu[1] = (byte) 0xFF;
        return fpdu;
    }

    @Test
    @DisplayName("send although hundreds of peers do not read, and those get all their bytes once they read")
    void peersThatDoNotRead() {
        MpaEngineFactory engines = sharing(30);
        List<Peer> stalled = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            stalled.add(new Peer(engines, "10.0.0." + (1 + i % 3)).stalled(10_000));
        }
        Peer good = new Peer(engines, "10.0.1.1");
        for (int i = 0; i < 50; i++) {
            good.upper.toSend.add(octets(60_000));
            good.driver.pump();
            assertThat(good.driver.take()).hasSize(60_008);
        }
        assertThat(engines.batchesInUse()).isLessThanOrEqualTo(30);
        assertThat(engines.counters().get(TcpCounter.WAITED_FOR_BATCH)).isZero();
        assertThat(engines.counters().get(TcpCounter.STALLED_ENDED)).isZero();
        assertThat(engines.stalledOctets()).isGreaterThan(268 * 10_000);
        for (Peer peer : stalled) {
            peer.driver.window = Long.MAX_VALUE;
            peer.driver.pump();
            assertThat(Arrays.copyOfRange(peer.driver.take(), 2, 10_002)).isEqualTo(octets(10_000));
            assertThat(peer.upper.events).containsExactly("transmitted");
        }
        assertThat(engines.stalledOctets()).isZero();
        assertThat(engines.batchesInUse()).isZero();
    }

    @Test
    @DisplayName("wait for a send buffer if none can be returned, and are woken when one is, the longest waiting first")
    void waitForOne() {
        MpaEngineFactory engines = sharing(4);
        List<Peer> holders = new ArrayList<>();
        for (int i = 0; i < 3; i++) { // as many as one source may have
            holders.add(new Peer(engines).stalled(100));
        }
        TestDriver.exhaustStalled(engines);
        Peer first = new Peer(engines).stalled(100);
        Peer second = new Peer(engines).stalled(100);
        assertThat(engines.counters().get(TcpCounter.WAITED_FOR_BATCH)).isEqualTo(2);
        first.driver.wakeups = 0;
        second.driver.wakeups = 0;
        holders.get(0).driver.window = Long.MAX_VALUE;
        holders.get(0).driver.pump();
        assertThat(first.driver.wakeups).isEqualTo(1);
        assertThat(second.driver.wakeups).isZero();
        first.driver.window = Long.MAX_VALUE;
        first.driver.pump();
        assertThat(first.driver.take()).hasSize(108);
        assertThat(second.driver.wakeups).isEqualTo(1);
    }

    @Test
    @DisplayName("acquire no send buffer outside of their turn")
    void endOfTurn() {
        Peer peer = new Peer(TestDriver.factory());
        assertThat(peer.driver.engine.endsTurn(Integer.MAX_VALUE, false))
                .as("nothing to send")
                .isFalse();
        peer.upper.toSend.add(octets(100));
        assertThat(peer.driver.engine.endsTurn(Integer.MAX_VALUE, false)).isTrue();
        assertThat(peer.driver.factory.batchesInUse()).isZero();
    }

    @Test
    @DisplayName("have a limit for unread octets: only the connection that holds most without progress is ended")
    void memoryForStalled() {
        MpaEngineFactory engines = sharing(1);
        Peer slow = new Peer(engines, "10.0.1.1").stalled(20_000);
        List<Peer> stalled = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            stalled.add(new Peer(engines).stalled(50_000));
            now += TimeUnit.MILLISECONDS.toNanos(100); // the oldest are without progress for more than a second
        }
        Peer good = new Peer(engines, "10.0.1.2");
        good.upper.toSend.add(octets(100));
        good.driver.pump();
        assertThat(good.driver.take()).hasSize(108);
        long ended = stalled.stream().filter(Peer::isOver).count();
        assertThat(ended).isBetween(84L, 88L);
        assertThat(engines.counters().get(TcpCounter.STALLED_ENDED)).isEqualTo(ended);
        assertThat(engines.stalledOctets()).as("three quarters for one source").isLessThanOrEqualTo(786_432 + 20_008);
        slow.driver.window = Long.MAX_VALUE;
        slow.driver.pump();
        assertThat(slow.driver.take()).hasSize(20_008);
        assertThat(slow.upper.events).containsExactly("transmitted");
    }

    @Test
    @DisplayName("whose peers do not read are ended one by one, so that other connections do not wait for many ends")
    void endedOneByOne() {
        MpaEngineFactory engines = sharing(1);
        List<Peer> stalled = sixtyStalled(engines);
        List<Peer> newcomers =
                IntStream.range(0, 20).mapToObj(i -> new Peer(engines)).toList();
        now += 2 * Output.STALLED_NANOS;
        for (int ends = 0; ends < 5; ends++) {
            for (Peer newcomer : newcomers.subList(4 * ends, 4 * ends + 4)) {
                newcomer.driver.now = now;
                newcomer.stalled(60_000);
            }
            assertThat(engines.counters().get(TcpCounter.STALLED_ENDED)).isEqualTo(ends + 1);
            now += MpaEngineFactory.ENDING_NANOS;
        }
        assertThat(stalled.stream().filter(Peer::isOver)).hasSize(5);
    }

    @Test
    @DisplayName("of one host leave a quarter of the send buffers to others, while all its peers make progress")
    void buffersOfOneHost() {
        MpaEngineFactory engines = sharing(8);
        List<Peer> stalled = sixtyStalled(engines);
        Peer good = new Peer(engines, "10.0.1.2");
        for (int i = 0; i < 10; i++) {
            good.upper.toSend.add(octets(100));
            good.driver.pump();
            assertThat(good.driver.take()).hasSize(108);
        }
        assertThat(engines.batchesInUse()).isEqualTo(6);
        assertThat(stalled).noneMatch(Peer::isOver);
    }

    @Test
    @DisplayName(
            "keep their bytes while their peers are only slow, and the connection that asks for a send buffer waits")
    void slowPeers() {
        MpaEngineFactory engines = sharing(1);
        List<Peer> slow = sixtyStalled(engines);
        assertThat(engines.counters().get(TcpCounter.STALLED_ENDED)).isZero();
        assertThat(engines.counters().get(TcpCounter.WAITED_FOR_BATCH)).isPositive();
        for (Peer peer : slow) {
            peer.driver.window = Long.MAX_VALUE;
            peer.driver.pump();
        }
        for (Peer peer : slow) {
            peer.driver.pump(); // the waiting connections
            assertThat(peer.driver.take()).hasSize(50_008);
            assertThat(peer.upper.events).containsExactly("transmitted");
        }
        assertThat(engines.stalledOctets()).isZero();
        assertThat(engines.batchesInUse()).isZero();
    }

    @Test
    @DisplayName("are not ended for another connection in the middle of an FPDU")
    void whileFilling() {
        MpaEngineFactory engines = sharing(1);
        Peer other = new Peer(engines);
        Peer filling = new Peer(engines);
        filling.upper.toSend.add(octets(100));
        filling.upper.withinPoll = () -> {
            other.upper.toSend.add(octets(100));
            other.driver.pump();
        };
        filling.driver.pump();
        assertThat(filling.driver.take()).hasSize(108);
        assertThat(filling.upper.events).containsExactly("transmitted");
        other.driver.pump();
        assertThat(other.driver.take()).hasSize(108);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("send the same bytes for any time at which their send buffers are taken back, gathered or copied")
    void sameOctets(boolean gather) {
        for (long seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            MpaEngineFactory engines = TestDriver.factory("jwarp.tcp.memory", "1", "jwarp.tcp.copy-limit", "512");
            Peer sender = new Peer(engines);
            Peer other = new Peer(engines);
            ByteArrayOutputStream expected = new ByteArrayOutputStream();
            ByteArrayOutputStream sent = new ByteArrayOutputStream();
            MpaEngineFactory alone = TestDriver.factory();
            Peer undisturbed = new Peer(alone);
            sender.upper.stable = gather;
            for (int i = 0; i < 40; i++) {
                byte[] message = octets(1 + random.nextInt(5000));
                sender.upper.toSend.add(message);
                undisturbed.upper.toSend.add(message);
            }
            undisturbed.driver.pump();
            expected.writeBytes(undisturbed.driver.take());
            for (int i = 0; i < 10_000 && sent.size() < expected.size(); i++) {
                sender.driver.window = random.nextInt(4000);
                sender.driver.pump();
                sent.writeBytes(sender.driver.take());
                if (random.nextInt(3) == 0) {
                    other.upper.toSend.add(octets(50));
                    other.driver.pump();
                    assertThat(other.driver.take()).as("seed %d", seed).hasSize(56);
                }
            }
            assertThat(sent.toByteArray()).as("seed %d", seed).isEqualTo(expected.toByteArray());
            assertThat(engines.counters().get(TcpCounter.BATCHES_TAKEN_BACK)).isPositive();
            assertThat(engines.stalledOctets()).isZero();
        }
    }

    @Test
    @DisplayName("assemble FPDUs although a thousand peers leave theirs one byte short")
    void halfFpdus() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.tcp.memory", String.valueOf(40 << 20));
        List<Peer> hostile = new ArrayList<>();
        for (int i = 0; i < 1024; i++) {
            Peer peer = new Peer(engines);
            peer.driver.feed(half(65_000));
            hostile.add(peer);
        }
        for (String host : List.of("10.0.0.1", "10.0.1.1")) {
            Peer good = new Peer(engines, host);
            for (int i = 0; i < 20; i++) {
                good.driver.feed(Arrays.copyOf(SMALL_FPDU, 20));
                good.driver.feed(Arrays.copyOfRange(SMALL_FPDU, 20, SMALL_FPDU.length));
            }
            assertThat(good.upper.received).hasSize(20);
            Peer large = new Peer(engines, host);
            large.driver.feed(half(65_000));
            assertThat(large.isOver()).isFalse();
        }
        assertThat(hostile.stream().filter(Peer::isOver).count()).isGreaterThan(800);
        assertThat(engines.counters().get(TcpCounter.REASSEMBLY_EXHAUSTED)).isZero();
        assertThat(engines.reassemblyOctets())
                .as("three quarters for one source")
                .isLessThanOrEqualTo(13 << 20);
    }

    @Test
    @DisplayName("keep a half FPDU that progresses byte by byte, and drop one that does not")
    void halfFpduThatGoesOn() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.tcp.memory", "350000");
        Peer slow = new Peer(engines);
        slow.driver.feed(half(60_000));
        Peer still = new Peer(engines);
        still.driver.feed(half(60_000));
        slow.driver.now = now + 1;
        slow.driver.feed(new byte[1]);
        Peer other = new Peer(engines);
        other.driver.feed(half(60_000));
        assertThat(still.isOver()).isTrue();
        assertThat(slow.isOver()).isFalse();
        assertThat(other.isOver()).isFalse();
    }

    @Test
    @DisplayName("read little at a time from a peer with small FPDUs while others are busy")
    void turns() {
        MpaEngineFactory engines = TestDriver.factory();
        Peer flooder = new Peer(engines);
        Peer kept = new Peer(engines);
        byte[] many = repeated(SMALL_FPDU, 6000);
        kept.driver.feed(SMALL_FPDU);
        int worst = 0;
        int turns = 0;
        int at = 0;
        while (at < many.length) {
            int before = flooder.upper.received.size();
            turns++;
            int quota = flooder.driver.engine.readQuota(1 << 18, 0);
            for (int reads = 0; quota > 0 && reads < 4 && at < many.length; reads++) {
                int end = Math.min(many.length, at + quota);
                flooder.driver.feed(Arrays.copyOfRange(many, at, end));
                at = end;
                quota = flooder.driver.engine.readQuota(1 << 18, reads + 1);
            }
            kept.driver.feed(SMALL_FPDU);
            if (turns > 1) {
                worst = Math.max(worst, flooder.upper.received.size() - before);
            }
        }
        assertThat(worst).as("FPDUs in a turn").isLessThanOrEqualTo(2 * TurnLength.TOGETHER);
        assertThat(turns).isGreaterThan(6000 / (2 * TurnLength.TOGETHER));
        assertThat(flooder.upper.received).hasSize(6000);
    }

    @Test
    @DisplayName(
            "read large pieces from a peer with FPDUs of the size of Ethernet segments, even while others are busy")
    void turnsOfSegments() {
        MpaEngineFactory engines = TestDriver.factory();
        Peer sender = new Peer(engines);
        sender.upper.toSend.add(octets(1440));
        sender.driver.pump();
        byte[] fpdu = sender.driver.take();
        byte[] many = repeated(fpdu, 4000);
        Peer peer = new Peer(engines);
        Peer other = new Peer(engines);
        int ring = 1 << 18;
        int at = 0;
        int turns = 0;
        int calls = 0;
        while (at + 4 * ring < many.length) {
            other.driver.feed(SMALL_FPDU);
            int quota = peer.driver.engine.readQuota(ring, 0);
            for (int reads = 0; quota > 0 && reads < 4; reads++) {
                peer.driver.feed(Arrays.copyOfRange(many, at, at + quota));
                at += quota;
                calls++;
                quota = peer.driver.engine.readQuota(ring, reads + 1);
            }
            turns++;
        }
        assertThat(at / turns).as("bytes of a turn").isGreaterThan(200_000);
        assertThat(at / calls).as("bytes of a read").isGreaterThan(200_000);
    }

    @Test
    @DisplayName("without output neither take back send buffers nor wait for one")
    void nothingToSend() {
        MpaEngineFactory engines = sharing(1);
        Peer slow = new Peer(engines).stalled(50_000);
        now += TimeUnit.SECONDS.toNanos(1);
        Peer quiet = new Peer(engines);
        for (int i = 0; i < 5; i++) {
            quiet.driver.feed(SMALL_FPDU);
        }
        assertThat(engines.counters().get(TcpCounter.BATCHES_TAKEN_BACK)).isZero();
        assertThat(engines.counters().get(TcpCounter.WAITED_FOR_BATCH)).isZero();
        assertThat(quiet.driver.engine.nextTimeout()).isEqualTo(Long.MAX_VALUE);
        quiet.upper.lower.close();
        quiet.driver.pump();
        assertThat(quiet.driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        assertThat(engines.batchesInUse()).isEqualTo(1);

        Peer busy = new Peer(engines);
        busy.upper.toSend.add(octets(100));
        busy.driver.pump();
        assertThat(busy.driver.take()).hasSize(108);
        assertThat(engines.counters().get(TcpCounter.BATCHES_TAKEN_BACK)).isEqualTo(1);
        slow.driver.window = Long.MAX_VALUE;
        slow.driver.pump();
        assertThat(slow.driver.take()).hasSize(50_008);
    }

    @Test
    @DisplayName("read all available bytes from a peer with large FPDUs, and from the only busy peer")
    void longTurns() {
        MpaEngineFactory engines = TestDriver.factory();
        Peer large = new Peer(engines);
        Peer other = new Peer(engines);
        int quota = 0;
        for (int i = 0; i < 10; i++) {
            other.driver.feed(SMALL_FPDU);
            quota = large.driver.engine.readQuota(1 << 18, 0);
            large.driver.feed(i == 0 ? half(quota) : new byte[Math.min(quota, 6000)]);
        }
        assertThat(quota).isGreaterThanOrEqualTo(1 << 15);
        Peer alone = new Peer(TestDriver.factory());
        alone.driver.feed(SMALL_FPDU);
        assertThat(alone.driver.engine.readQuota(1 << 18, 0)).isGreaterThan(255 << 10);
    }

    @Test
    @DisplayName("are alone after many calls of one of them, not after a pause")
    void alone() {
        TurnLength turns = new TurnLength();
        long one = turns.work(0, 1);
        turns.work(0, 1);
        for (int i = 0; i < 2 * TurnLength.WINDOW - 2; i++) {
            assertThat(turns.together()).isTrue();
            one = turns.work(one, 1);
        }
        turns.work(one, 1);
        assertThat(turns.together()).isFalse();
    }

    @Test
    @DisplayName("write only some FPDUs at a time while others are busy")
    void shortWrites() {
        MpaEngineFactory engines = TestDriver.factory();
        Peer one = new Peer(engines);
        Peer other = new Peer(engines);
        one.driver.feed(SMALL_FPDU);
        other.driver.feed(SMALL_FPDU);
        one.driver.writes = 0;
        for (int i = 0; i < 1024; i++) {
            one.upper.toSend.add(octets(10));
        }
        one.driver.pump();
        assertThat(one.driver.writes).isEqualTo(1024 / TurnLength.WRITE_TOGETHER);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 64})
    @DisplayName("write as often in a turn as their weight states, while others are busy")
    void weight(int weight) {
        MpaEngineFactory engines = TestDriver.factory();
        Peer light = new Peer(engines);
        Peer heavy = new Peer(engines, "10.0.0.1", weight);
        for (Peer peer : List.of(light, heavy)) {
            peer.driver.now = now;
            peer.driver.feed(SMALL_FPDU);
            peer.upper.toSend.add(octets(10));
        }
        assertThat(light.driver.engine.endsTurn(1, false)).isTrue();
        assertThat(heavy.driver.engine.endsTurn(weight, false)).isTrue();
        assertThat(heavy.driver.engine.endsTurn(weight - 1, false)).isFalse();
        assertThat(heavy.driver.engine.endsTurn(1, true))
                .as("after each of its reads")
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    @DisplayName("read as many FPDUs in a turn as their weight states, while others are busy")
    void weightOfReads(int weight) {
        MpaEngineFactory engines = TestDriver.factory();
        Peer light = new Peer(engines);
        Peer heavy = new Peer(engines, "10.0.0.1", weight);
        byte[] fpdus = repeated(SMALL_FPDU, 64);
        int turns = 4;
        for (int turn = 0; turn < turns; turn++) {
            light.driver.feed(SMALL_FPDU);
            for (int reads = 0; heavy.driver.engine.readQuota(fpdus.length, reads) > 0; reads++) {
                heavy.driver.feed(fpdus);
            }
        }
        // With reads of 64 FPDUs, a turn of weight 1 has as many FPDUs as four reads.
        assertThat(heavy.upper.received.size()).isBetween(turns * 192 * weight, turns * 320 * weight);
    }

    @Test
    @DisplayName("write once per turn while others are busy, even if nothing is received")
    void writesATurn() {
        MpaEngineFactory engines = TestDriver.factory();
        Peer one = new Peer(engines);
        Peer other = new Peer(engines);
        for (int i = 0; i < 2 * TurnLength.WINDOW; i++) {
            one.driver.feed(SMALL_FPDU);
        }
        one.upper.toSend.add(octets(10));
        assertThat(one.driver.engine.endsTurn(1, false)).as("alone").isFalse();
        other.upper.toSend.add(octets(10));
        other.driver.pump();
        assertThat(one.driver.engine.endsTurn(0, false))
                .as("together, before the first")
                .isFalse();
        assertThat(one.driver.engine.endsTurn(1, false)).as("together").isTrue();
    }
}
