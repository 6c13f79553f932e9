package dev.jwarp.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.base.Share;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.LowerLayer;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine.Ending;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.vectors.Vectors;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Full operation (RFC 5044 §4 to §8)")
class FullOperationTest {
    private static final StartParameters OFFER = new StartParameters(8, 4, new byte[0]);
    private static final String FPDU = Vectors.byId("OP-SEND").text("hex");

    private final RecordingHandler handler = new RecordingHandler();
    private final RecordingUpper upper = new RecordingUpper();
    private MpaEngineFactory factory;

    private TestDriver established(String... settings) {
        factory = TestDriver.factory(settings);
        return established(factory, upper);
    }

    private TestDriver established(MpaEngineFactory engines, RecordingUpper layer) {
        TestDriver driver = TestDriver.initiator(engines, OFFER, layer, handler);
        driver.feedHex(Vectors.byId("MPA-REP2-CS").text("hex"));
        driver.take();
        driver.writes = 0;
        layer.events.clear();
        return driver;
    }

    private static byte[] octets(int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) (i * 31 + length);
        }
        return octets;
    }

    @Test
    @DisplayName("puts many ULPDUs into one write, and reports their transmission once")
    void manyInOneWrite() {
        TestDriver driver = established();
        for (int i = 0; i < 1000; i++) {
            upper.toSend.add(octets(30));
        }
        driver.pump();
        assertThat(driver.writes).isEqualTo(1);
        assertThat(driver.take()).hasSize(1000 * 36);
        assertThat(upper.events).containsExactly("transmitted");
        assertThat(factory.batchesInUse()).isZero();
    }

    @Test
    @DisplayName("writes eight FPDUs of the largest size at a time")
    void largeFpdus() {
        TestDriver driver = established("jwarp.mpa.emss", "65483");
        assertThat(driver.connection().mulpdu()).isEqualTo(64_768);
        for (int i = 0; i < 16; i++) {
            upper.toSend.add(octets(64_768));
        }
        driver.pump();
        assertThat(driver.writes).isEqualTo(2);
        assertThat(driver.take()).hasSize(16 * 64_776);
        assertThat(upper.events).containsExactly("transmitted", "transmitted");
    }

    @Test
    @DisplayName("gathers large stable payload, and copies unstable or small payload")
    void gathersOrCopies() {
        TestDriver driver = established("jwarp.mpa.emss", "65483");
        driver.window = 0;
        upper.toSend.add(octets(20_000));
        driver.pump();
        assertThat(driver.engine.outputCount()).isEqualTo(3);
        driver.window = Long.MAX_VALUE;
        driver.pump();
        driver.window = 0;
        upper.stable = false;
        upper.toSend.add(octets(20_000));
        driver.pump();
        assertThat(driver.engine.outputCount()).isEqualTo(1);
    }

    @Test
    @DisplayName("continues after a partial write, and reports the transmission only when all is written")
    void shortWrites() {
        TestDriver driver = established();
        driver.writeLimit = 7;
        upper.toSend.add(octets(50));
        upper.toSend.add(octets(51));
        driver.pump();
        byte[] pieces = driver.take();
        assertThat(upper.events).containsExactly("transmitted");
        TestDriver whole = established();
        upper.toSend.add(octets(50));
        upper.toSend.add(octets(51));
        whole.pump();
        assertThat(pieces).isEqualTo(whole.take());
    }

    @Tag("MPA-4.5-2")
    @Test
    @DisplayName("derives the MULPDU from the driver's segment size, or from the setting")
    void mulpdu() {
        assertThat(established().connection().mulpdu()).isEqualTo(1454);
        assertThat(established("jwarp.mpa.emss", "8960").connection().mulpdu()).isEqualTo(8954);
    }

    @Tag("MPA-4.3-1")
    @Tag("MPA-4.3-2")
    @Tag("MPA-7.1-1")
    @Tag("MPA-7.1.1-6")
    @Tag("MPA-7.1.2-14")
    @Test
    @DisplayName("sends Markers if the Reply asked for them, correctly over several batches")
    void markers() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.mpa.markers", "on");
        TestDriver sender = TestDriver.initiator(engines, OFFER, upper, handler);
        sender.take();
        sender.feedHex("4d504120494420526570204672616d65d002000400040008"); // M: the responder wants Markers
        assertThat(sender.connection().mulpdu()).isEqualTo(1442);
        RecordingUpper peer = new RecordingUpper();
        RecordingHandler peerHandler = new RecordingHandler();
        peerHandler.onRequest = connection -> connection.accept(OFFER, peer);
        TestDriver receiver = TestDriver.responder(engines, peerHandler);
        receiver.feedHex(Vectors.byId("MPA-REQ2-CS").text("hex"));
        for (int i = 0; i < 20; i++) {
            upper.toSend.add(octets(1 + 97 * i % 1442));
            sender.pump();
        }
        receiver.feed(sender.take());
        assertThat(peer.received).hasSize(20);
        for (int i = 0; i < 20; i++) {
            assertThat(peer.received.get(i)).isEqualTo(octets(1 + 97 * i % 1442));
        }
    }

    @Tag("MPA-4.1-5")
    @Tag("MPA-4.4-9")
    @Test
    @DisplayName("leaves the CRC field zero if neither side requests CRCs")
    void noCrc() {
        factory = TestDriver.factory("jwarp.mpa.crc", "off");
        TestDriver driver = TestDriver.initiator(factory, OFFER, upper, handler);
        driver.take();
        driver.feedHex("4d504120494420526570204672616d651002000400040008");
        upper.toSend.add(octets(2));
        driver.pump();
        assertThat(driver.takeHex()).startsWith("0002").endsWith("00000000");
    }

    @Tag("DDP-6.2-1")
    @Tag("MPA-4.4-6")
    @Tag("MPA-8-3")
    @Tag("MPA-8-5")
    @Test
    @DisplayName("reports a bad CRC, delivers nothing more, and leaves the end to the layer above (RFC 5044 §8)")
    void badCrc() {
        TestDriver driver = established();
        driver.feedHex(FPDU.substring(0, FPDU.length() - 2) + "00" + FPDU);
        driver.feedHex(FPDU);
        assertThat(upper.events).containsExactly("llp error MPA_CRC");
        assertThat(driver.ending()).isEqualTo(Ending.OPEN);
        assertThat(factory.counters().get(TcpCounter.CRC_MISMATCH)).isEqualTo(1);
        upper.toSend.add(octets(22));
        upper.lower.close();
        driver.pump();
        assertThat(driver.take()).hasSize(28);
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        driver.fin();
        assertThat(upper.events).endsWith("transmitted", "closed GRACEFUL");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
    }

    @Tag("MPA-7.1.1-7")
    @Test
    @DisplayName("with a peer that requested no CRCs names the setting to disable them, if its FPDU has none")
    void badCrcOfAPeerThatWantsNone() {
        TestDriver driver = TestDriver.initiator(TestDriver.factory(), OFFER, upper, handler);
        driver.feedHex(Vectors.byId("MPA-REP2-CS").text("hex").replaceFirst("5002", "1002")); // C=0
        driver.feedHex(FPDU.substring(0, FPDU.length() - 8) + "00000000");
        assertThat(upper.events).endsWith("llp error MPA_CRC");
        assertThat(upper.advice)
                .singleElement()
                .asString()
                .contains(":7174", "C=0", "RFC 5044 §7.1.1", "sent 0 in the CRC field")
                .contains("jwarp.mpa.crc=off (--crc off)", "jwarp.mpa.crc-field");
    }

    @Test
    @DisplayName("with a peer that requested CRCs gives no advice for a wrong one")
    void badCrcOfAPeerThatWantsThem() {
        established().feedHex(FPDU.substring(0, FPDU.length() - 8) + "00000000");
        assertThat(upper.events).containsExactly("llp error MPA_CRC");
        assertThat(upper.advice).isEmpty();
    }

    private TestDriver withoutCrc(String field, String flags) {
        TestDriver driver = TestDriver.initiator(
                TestDriver.factory("jwarp.mpa.crc", "off", "jwarp.mpa.crc-field", field), OFFER, upper, handler);
        driver.feedHex(Vectors.byId("MPA-REP2-CS").text("hex").replaceFirst("5002", flags));
        driver.take();
        upper.events.clear();
        return driver;
    }

    @Test
    @DisplayName("without CRCs has the CRC field only in the directions of the setting")
    void crcField() {
        String without = "000a" + "01020304050607080910"; // 12 octets: no pad
        String withField = without + "00000000";
        for (String[] row : new String[][] {
            {"both", withField, withField},
            {"ours", without, withField},
            {"none", without, without}
        }) {
            TestDriver driver = withoutCrc(row[0], "1002");
            driver.feedHex(row[1] + row[1]);
            assertThat(upper.events)
                    .as(row[0])
                    .hasSize(2)
                    .allMatch(event -> event.startsWith("ulpdu 0102030405060708091"));
            upper.toSend.add(java.util.HexFormat.of().parseHex("01020304050607080910"));
            driver.pump();
            assertThat(driver.takeHex()).as(row[0]).isEqualTo(row[2]);
        }
    }

    @Tag("MPA-4.1-5")
    @Test
    @DisplayName("has the CRC field in any case if the peer requests CRCs, and with Markers")
    void crcFieldInUse() {
        TestDriver crc = withoutCrc("none", "5002");
        crc.feedHex(FPDU);
        assertThat(upper.events).hasSize(1).allMatch(event -> event.startsWith("ulpdu "));
        upper.toSend.add(new byte[2]);
        crc.pump();
        assertThat(crc.take()).hasSize(8);
        crc.feedHex(FPDU.substring(0, FPDU.length() - 8) + "00000000");
        assertThat(upper.events).endsWith("llp error MPA_CRC");
        TestDriver markers = withoutCrc("none", "9002");
        upper.toSend.add(new byte[2]);
        markers.pump();
        assertThat(markers.take()).hasSize(12);
    }

    @Tag("MPA-8-1")
    @Test
    @DisplayName("reports a Marker that points to no FPDU")
    void badMarker() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.mpa.markers", "on");
        TestDriver driver = TestDriver.initiator(engines, OFFER, upper, handler);
        driver.feedHex(Vectors.byId("MPA-REP2-CS").text("hex"));
        upper.events.clear();
        driver.feed(Vectors.byId("BAD-MARKER-NOTZERO").octets());
        assertThat(upper.events).containsExactly("llp error MPA_MARKER");
        assertThat(engines.counters().get(TcpCounter.MARKER_MISMATCH)).isEqualTo(1);
    }

    @Tag("DDP-6.2.1-3")
    @Tag("DDP-6.2.1-4")
    @Tag("MPA-7.2-1")
    @Test
    @DisplayName("reports the peer's FIN between FPDUs, and still sends (RFC 5044 §7.2)")
    void peerCloses() {
        TestDriver driver = established();
        driver.feedHex(FPDU);
        driver.fin();
        assertThat(upper.events).hasSize(2).endsWith("peer closed");
        upper.toSend.add(octets(10));
        driver.pump();
        assertThat(driver.take()).hasSize(16);
        upper.lower.close();
        driver.pump();
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(upper.events).endsWith("transmitted", "closed GRACEFUL");
    }

    @Tag("MPA-8-4")
    @Test
    @DisplayName("treats a FIN inside an FPDU as a lost connection (RFC 5044 §8)")
    void truncated() {
        TestDriver driver = established();
        driver.feedHex(FPDU + FPDU.substring(0, 20));
        assertThat(factory.reassemblyOctets()).isPositive();
        driver.fin();
        assertThat(upper.events).hasSize(2).endsWith("closed TRUNCATED");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(factory.reassemblyOctets()).isZero();
        assertThat(factory.counters().get(TcpCounter.TRUNCATED)).isEqualTo(1);
    }

    @Tag("MPA-8-4")
    @Test
    @DisplayName("reports a reset")
    void reset() {
        TestDriver driver = established();
        driver.reset();
        driver.reset();
        driver.fin();
        assertThat(upper.events).containsExactly("closed RESET");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
    }

    @Test
    @DisplayName("reports once that the system timed out the peer, not a reset")
    void timedOut() {
        TestDriver driver = established();
        driver.timedOut();
        driver.reset();
        driver.fin();
        assertThat(upper.events).containsExactly("closed TIMED_OUT");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(factory.counters().get(TcpCounter.PEER_TIMED_OUT)).isEqualTo(1);
        assertThat(factory.counters().get(TcpCounter.RESET)).isZero();
    }

    @Test
    @DisplayName("passes keep-alive settings to the driver, while it is open")
    void keepAlive() {
        TestDriver driver = established();
        KeepAliveTimes wanted = new KeepAliveTimes(true, 7, 3, 2);
        upper.lower.keepAlive(wanted);
        assertThat(driver.keepAlive).isEqualTo(wanted);
        driver.timedOut();
        upper.lower.keepAlive(KeepAliveTimes.OFF);
        assertThat(driver.keepAlive).isEqualTo(wanted);
    }

    @Tag("DDP-6.2.1-2")
    @Test
    @DisplayName("closes in order: sends all queued output and FIN, discards input, ends with the peer's FIN")
    void close() {
        TestDriver driver = established();
        upper.toSend.addAll(Collections.nCopies(3, octets(100)));
        upper.lower.close();
        upper.lower.close();
        assertThat(driver.wakeups).isPositive();
        driver.pump();
        assertThat(driver.take()).hasSize(3 * 108);
        assertThat(driver.ending()).isEqualTo(Ending.SHUT_DOWN_OUTPUT);
        upper.toSend.add(octets(100)); // too late
        driver.feedHex(FPDU + "00ff");
        assertThat(driver.takeHex()).isEmpty();
        driver.fin();
        assertThat(upper.events).containsExactly("transmitted", "closed GRACEFUL");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
    }

    @Test
    @DisplayName("waits for the peer's FIN at most for the linger time")
    void lingerExpires() {
        TestDriver driver = established("jwarp.tcp.linger", "300");
        upper.lower.close();
        driver.pump();
        driver.advance(299);
        assertThat(upper.events).isEmpty();
        driver.advance(1);
        assertThat(upper.events).containsExactly("closed LINGER_EXPIRED");
        assertThat(driver.ending()).isEqualTo(Ending.CLOSE);
        assertThat(factory.counters().get(TcpCounter.LINGER_EXPIRED)).isEqualTo(1);
    }

    @Test
    @DisplayName("while closing waits for a slow peer as long as it accepts bytes, and aborts when it accepts none")
    void lingerWhileSending() {
        TestDriver driver = established("jwarp.tcp.linger", "300");
        driver.advance(3_600_000); // the connection may have been idle for long
        driver.window = 0;
        upper.toSend.add(octets(1000));
        driver.pump();
        upper.lower.close();
        driver.pump();
        for (int i = 0; i < 10; i++) {
            driver.advance(250);
            driver.window = 10;
            driver.pump();
        }
        assertThat(upper.events).isEmpty();
        driver.advance(300);
        assertThat(upper.events).containsExactly("closed LINGER_EXPIRED");
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
        assertThat(factory.batchesInUse()).isZero();
    }

    @Test
    @DisplayName("aborts at once, drops unsent output, and reports the end last")
    void abort() {
        TestDriver driver = established();
        driver.window = 10;
        upper.toSend.add(octets(1000));
        driver.pump();
        upper.lower.abort();
        assertThat(upper.events).isEmpty(); // not from within the call
        driver.feedHex(FPDU);
        driver.fin();
        driver.pump();
        assertThat(upper.events).containsExactly("closed ABORTED");
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
        assertThat(driver.take()).hasSize(10);
        assertThat(factory.batchesInUse()).isZero();
        driver.pump();
        driver.advance(100_000);
        assertThat(upper.events).hasSize(1);
    }

    @Test
    @DisplayName("aborts even if the driver polls for no output after closing its direction")
    void abortAfterShutdown() {
        TestDriver driver = established();
        upper.lower.close();
        driver.pump();
        upper.lower.abort();
        driver.engine.onTimeout(driver.engine.nextTimeout());
        assertThat(upper.events).containsExactly("closed ABORTED");
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
    }

    @Test
    @DisplayName("delivers nothing after the layer above aborts, not even from the same read")
    void abortWhileReceiving() {
        RecordingUpper aborting = new RecordingUpper() {
            @Override
            public void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos) {
                super.onUlpdu(buffer, offset, length, nowNanos);
                lower.abort();
            }
        };
        TestDriver driver = established(TestDriver.factory(), aborting);
        driver.feedHex(FPDU + FPDU + FPDU);
        assertThat(aborting.events).hasSize(2).endsWith("closed ABORTED");
    }

    @Tag("SEC-6.4.4-1")
    @Test
    @DisplayName("aborts a peer that accepts no byte for a minute")
    void sendTimeout() {
        TestDriver driver = established();
        driver.window = 10;
        upper.toSend.add(octets(1000));
        driver.pump();
        driver.advance(59_000);
        driver.window = 1;
        driver.pump();
        driver.advance(59_999);
        assertThat(upper.events).isEmpty();
        driver.advance(1);
        assertThat(upper.events).containsExactly("closed TIMED_OUT");
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
        assertThat(factory.counters().get(TcpCounter.SEND_TIMED_OUT)).isEqualTo(1);
    }

    @Test
    @DisplayName("aborts a peer that never accepts a byte")
    void sendTimeoutFromTheStart() {
        TestDriver driver = established();
        driver.window = 0;
        upper.toSend.add(octets(1000));
        driver.pump();
        driver.advance(59_999);
        assertThat(upper.events).isEmpty();
        driver.advance(1);
        assertThat(upper.events).containsExactly("closed TIMED_OUT");
    }

    @Test
    @DisplayName("puts one FPDU with Markers into a write while a capture is written, because Wireshark needs it")
    void recordedMarkers() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.mpa.markers", "on", "jwarp.tcp.pcap", "any");
        TestDriver driver = TestDriver.initiator(engines, OFFER, upper, handler);
        driver.feedHex("4d504120494420526570204672616d65d002000400040008"); // M: the responder wants Markers
        driver.writes = 0;
        upper.toSend.addAll(Collections.nCopies(5, octets(100)));
        driver.pump();
        assertThat(driver.writes).isEqualTo(5);
    }

    @Test
    @DisplayName("fires the timer of the layer above")
    void upperTimeout() {
        TestDriver driver = established();
        upper.timeout = driver.now + 5_000_000L;
        assertThat(driver.engine.nextTimeout()).isEqualTo(upper.timeout);
        driver.advance(4);
        assertThat(upper.events).isEmpty();
        driver.advance(1);
        assertThat(upper.events).containsExactly("timeout");
    }

    @Test
    @DisplayName("if another connection needs the memory, ends only the one whose half FPDU made the least progress")
    void reassemblyLimit() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.tcp.memory", "350000");
        RecordingUpper[] uppers = {new RecordingUpper(), new RecordingUpper(), new RecordingUpper()};
        TestDriver[] drivers =
                Arrays.stream(uppers).map(u -> established(engines, u)).toArray(TestDriver[]::new);
        for (TestDriver driver : drivers) {
            driver.feed(half(60_000));
        }
        drivers[0].pump();
        assertThat(uppers[0].events).containsExactly("closed ABORTED");
        assertThat(drivers[0].ending()).isEqualTo(Ending.ABORT);
        assertThat(engines.counters().get(TcpCounter.REASSEMBLY_TAKEN_BACK)).isEqualTo(1);
        assertThat(uppers[1].events).isEmpty();
        assertThat(uppers[2].events).isEmpty();
        drivers[1].reset();
        drivers[2].reset();
        assertThat(engines.reassemblyOctets()).isZero();
    }

    /** The first octets of an FPDU of 64 KiB. */
    private static byte[] half(int length) {
        byte[] fpdu = octets(length);
        fpdu[0] = (byte) 0xFF;
        fpdu[1] = (byte) 0xFF;
        return fpdu;
    }

    @Test
    @DisplayName("reserves little memory for peers that announce 64 KiB and send one byte")
    void manyAnnouncements() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.tcp.memory", "350000");
        RecordingUpper good = new RecordingUpper();
        TestDriver victim = established(engines, good);
        for (int i = 0; i < 50; i++) {
            established(engines, upper).feedHex("ffff41");
            assertThat(upper.events).isEmpty();
        }
        victim.feedHex(FPDU.substring(0, 20));
        victim.feedHex(FPDU.substring(20));
        assertThat(good.received).hasSize(1);
        assertThat(engines.counters().get(TcpCounter.REASSEMBLY_EXHAUSTED)).isZero();
    }

    @Tag("SEC-6.4.4-1")
    @Test
    @DisplayName("aborts a connection whose peer stops in the middle of an FPDU")
    void stalledFpdu() {
        TestDriver driver = established("jwarp.tcp.stall-timeout", "6000");
        driver.advance(3_600_000); // between FPDUs it may be idle for long
        driver.feed(half(100));
        for (int i = 0; i < 20; i++) {
            driver.advance(2900);
            driver.feed(new byte[1]);
        }
        driver.advance(2999);
        assertThat(upper.events).isEmpty();
        driver.advance(1);
        assertThat(upper.events).containsExactly("closed TRUNCATED");
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
        assertThat(factory.reassemblyOctets()).isZero();
        assertThat(factory.counters().get(TcpCounter.FPDU_TIMED_OUT)).isEqualTo(1);
    }

    @Test
    @DisplayName("has no time limit after a complete FPDU, and does not abort a peer because of a late poll")
    void noStalledFpdu() {
        TestDriver driver = established("jwarp.tcp.stall-timeout", "6000");
        driver.feedHex(FPDU.substring(0, 20));
        driver.now += 3_600_000_000_000L; // no thread polled for an hour
        driver.engine.onTimeout(driver.now);
        driver.feedHex(FPDU.substring(20));
        driver.advance(3_600_000);
        assertThat(upper.received).hasSize(1);
        assertThat(upper.events).hasSize(1);
    }

    @Test
    @DisplayName("has no time limit for the rest of an FPDU after our direction has ended")
    void noStalledFpduAfterTheEnd() {
        TestDriver driver = established("jwarp.tcp.stall-timeout", "6000", "jwarp.tcp.linger", "10000");
        driver.feed(half(100));
        upper.lower.close();
        driver.pump();
        driver.advance(9999);
        assertThat(upper.events).isEmpty();
        driver.advance(1);
        assertThat(upper.events).containsExactly("closed LINGER_EXPIRED");
        assertThat(factory.counters().get(TcpCounter.FPDU_TIMED_OUT)).isZero();
        assertThat(factory.reassemblyOctets()).isZero();
    }

    @Test
    @DisplayName("ends only the connection that has no memory to receive or to send")
    void noDirectMemory() {
        Tally<TcpCounter> counters = new Tally<>(TcpCounter.class);
        MpaEngineFactory engines = new MpaEngineFactory(
                TcpSettings.of(java.util.Map.of()),
                counters,
                size -> {
                    throw new OutOfMemoryError("Cannot reserve direct buffer memory");
                },
                PoolsTest.NO_BATCH);
        RecordingUpper second = new RecordingUpper();
        TestDriver receiving = established(engines, upper);
        TestDriver sending = established(engines, second);
        receiving.feedHex(FPDU.substring(0, 20));
        assertThat(upper.events).containsExactly("closed ABORTED");
        assertThat(counters.get(TcpCounter.REASSEMBLY_EXHAUSTED)).isEqualTo(1);
        assertThat(second.events).isEmpty();
        second.toSend.add(octets(100));
        sending.pump();
        assertThat(second.events).containsExactly("closed ABORTED");
        assertThat(sending.ending()).isEqualTo(Ending.ABORT);
        assertThat(counters.get(TcpCounter.BATCHES_EXHAUSTED)).isEqualTo(1);
    }

    @Test
    @DisplayName("aborts a closing connection too if no memory is left for its output")
    void noDirectMemoryToClose() {
        Tally<TcpCounter> counters = new Tally<>(TcpCounter.class);
        MpaEngineFactory engines =
                new MpaEngineFactory(TcpSettings.of(java.util.Map.of()), counters, null, PoolsTest.NO_BATCH);
        TestDriver driver = established(engines, upper);
        upper.toSend.add(octets(100));
        upper.lower.close();
        driver.pump();
        assertThat(upper.events).containsExactly("closed ABORTED");
        assertThat(driver.ending()).isEqualTo(Ending.ABORT);
    }

    @Test
    @DisplayName("takes a send buffer back from a stalled connection, and retries soon if that cannot return it")
    void batchLimit() {
        MpaEngineFactory engines = TestDriver.factory("jwarp.tcp.memory", "1");
        RecordingUpper second = new RecordingUpper();
        TestDriver slow = established(engines, upper);
        TestDriver waiting = established(engines, second);
        slow.window = 0;
        List<Share> others = TestDriver.exhaustStalled(engines);
        upper.toSend.add(octets(100));
        slow.pump();
        second.toSend.add(octets(100));
        waiting.pump();
        waiting.pump();
        assertThat(waiting.takeHex()).isEmpty();
        assertThat(engines.counters().get(TcpCounter.WAITED_FOR_BATCH)).isEqualTo(1);
        others.forEach(Share::leave);
        waiting.advance(5);
        assertThat(waiting.take()).hasSize(108);
        assertThat(engines.counters().get(TcpCounter.BATCHES_TAKEN_BACK)).isEqualTo(1);
        slow.window = 1000;
        slow.pump();
        assertThat(slow.take()).hasSize(108);
        assertThat(upper.events).containsExactly("transmitted");
        assertThat(engines.stalledOctets()).isZero();
        assertThat(waiting.engine.nextTimeout()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @DisplayName("returns its send buffer if the layer above throws in the middle of a ULPDU")
    void throwingUpper() {
        RecordingUpper throwing = new RecordingUpper() {
            @Override
            public boolean pollUlpdu(UlpduWriter out, long nowNanos) {
                if (polled.getAndIncrement() > 0) {
                    return false;
                }
                out.begin(14, 10);
                throw new IllegalStateException("a bug above");
            }
        };
        MpaEngineFactory engines = TestDriver.factory();
        TestDriver driver = TestDriver.initiator(engines, OFFER, throwing, handler);
        try {
            driver.feedHex(Vectors.byId("MPA-REP2-CS").text("hex"));
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("a bug above");
        }
        LowerLayer lower = throwing.lower;
        lower.abort();
        driver.pump();
        assertThat(throwing.events).endsWith("closed ABORTED");
        assertThat(engines.batchesInUse()).isZero();
    }
}
