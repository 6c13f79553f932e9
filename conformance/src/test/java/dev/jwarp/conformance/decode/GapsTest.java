package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.capture.Frame;
import dev.jwarp.conformance.wire.FramingFault;
import dev.jwarp.conformance.wire.Misframer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Incomplete captures: the start is missing, frames are missing, frames are cut. */
class GapsTest {
    /** A datagram of datagram-iWARP: a Send of 5 bytes. */
    private static final byte[] HELLO =
            Octets.hex("1000abcd0001234511223344000000070000000500000005414300000000000000000000000700000000"
                    + "68656c6c6f4b5b9d05");

    private static List<String> opcodes(List<Item> items) {
        return Packets.fpdus(items).stream()
                .map(f -> TextLines.name(f.segment()))
                .toList();
    }

    /** The initiator's stream from {@code from} on, in segments of {@code size} bytes, without any start. */
    private static Packets midway(Talked talked, int from, int size) {
        byte[] stream = Packets.join(talked.fpdus(true));
        return Packets.midway().sendCut(true, Arrays.copyOfRange(stream, from, stream.length), size);
    }

    /** Of the initiator's FPDUs 1000 bytes are missing after the first 1000. */
    private static Packets holed(Talked talked) {
        byte[] stream = Packets.join(talked.fpdus(true));
        return talked.opened()
                .send(true, Arrays.copyOf(stream, 1000))
                .lose(true, 1000)
                .send(true, Arrays.copyOfRange(stream, 2000, stream.length));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "markers"})
    @DisplayName("without the start the next FPDU is found by its CRC")
    void withoutStartNextFpduIsFoundByItsCrc(String kind) {
        Talked talked = Talked.ofKind(kind).chatter();
        int second = talked.initiator.get(1).length;

        for (int from = 1; from <= second; from += 7) {
            List<Item> items = midway(talked, from, 333).decode();

            assertThat(Packets.notes(items).get(0)).endsWith("its start was not captured");
            assertThat(Packets.notes(items)).anyMatch(note -> note.contains("by its CRC"));
            assertThat(opcodes(items))
                    .startsWith("RDMA Read Request", "RDMA Write", "RDMA Write")
                    .endsWith("Send");
            assertThat(Packets.fpdus(items))
                    .hasSize(talked.initiator.size() - 2)
                    .allMatch(f -> f.crc() == Crc.OK);
            assertThat(Packets.violations(items)).isEmpty();
        }
    }

    @Test
    @DisplayName("unannounced Markers are found when they come")
    void markersThatWereNotAnnounced() {
        Talked talked = Talked.withMarkers().sends(60, msn -> 20);

        List<Item> items = midway(talked, 4 + 52 + 1, 100).decode();

        assertThat(Packets.fpdus(items)).hasSize(58).allMatch(f -> f.crc() == Crc.OK);
        assertThat(Packets.violations(items)).isEmpty();
    }

    @Test
    @DisplayName("without CRCs a chain of lengths counts if the port was named")
    void withoutCrcsChainOfLengths() {
        Talked talked = Talked.withoutCrc().chatter();
        Packets packets = midway(talked, 5, 500);

        assertThat(packets.decode()).isEmpty();
        List<Item> items = packets.decode(Packets.SERVER_PORT);

        assertThat(Packets.notes(items)).anyMatch(note -> note.contains("by a chain of lengths"));
        assertThat(opcodes(items)).startsWith("RDMA Read Request").hasSize(talked.initiator.size() - 2);
        assertThat(Packets.fpdus(items)).allMatch(f -> f.crc() == Crc.OFF);
        assertThat(Packets.violations(items)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "withoutCrc", "markers"})
    @DisplayName("a lost segment within a known length loses one FPDU")
    void lostSegmentWithinKnownLengthLosesOneFpdu(String kind) {
        Talked talked = Talked.ofKind(kind);
        talked.i(Segment.send(1, Octets.pattern(3000, 1))).i(Segment.send(2, Octets.pattern(9, 2)));

        List<Item> items = holed(talked).decode();

        assertThat(Packets.notes(items)).contains("1000 bytes are missing from the capture");
        assertThat(Packets.fpdus(items))
                .extracting(Item.Framed::crc)
                .containsExactly(Crc.CUT, kind.equals("withoutCrc") ? Crc.OFF : Crc.OK);
        assertThat(Packets.violations(items)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "withoutCrc", "markers"})
    @DisplayName("after a lost segment with several FPDUs the next FPDU is found")
    void behindLostSegmentWithSeveral(String kind) {
        Talked talked = Talked.ofKind(kind).sends(40, msn -> 100 + msn);

        List<Item> items = holed(talked).decode();

        assertThat(Packets.fpdus(items))
                .hasSizeBetween(31, 34)
                .extracting(fpdu -> fpdu.segment().msn())
                .endsWith(40L);
        assertThat(Packets.notes(items))
                .anyMatch(n -> n.contains("looking for the next FPDU"))
                .anyMatch(n -> n.startsWith("an FPDU begins here"));
        assertThat(Packets.violations(items)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "withoutCrc"})
    @DisplayName("cut frames show their headers")
    void framesThatWereCutGiveTheirHeaders(String kind) {
        Talked talked = Talked.ofKind(kind).chatter();
        // -s does not cut the startup frames: 20 bytes after 40 of headers.
        List<Frame> cut = talked.packets().frames(96);

        List<Item> items = Packets.decode(cut);

        assertThat(opcodes(items)).isEqualTo(opcodes(talked.decode()));
        assertThat(Packets.fpdus(items)).extracting(Item.Framed::crc).contains(Crc.CUT);
        assertThat(Packets.notes(items))
                .filteredOn(n -> n.contains("tcpdump -s"))
                .hasSize(2);
        assertThat(Packets.violations(items)).isEmpty();
    }

    @Test
    @DisplayName("a note reports FPDUs that were lost with cut bytes")
    void thatFpdusAreGoneWithWhatWasCutOff() {
        Talked talked = Talked.plain().sends(20, msn -> 200);

        List<String> notes =
                Packets.notes(Packets.decode(Made.bundled(talked, 3000).frames(340)));

        assertThat(notes)
                .filteredOn(n -> n.contains("tcpdump -s"))
                .containsExactly(
                        "frames were cut when they were captured (tcpdump -s): payloads and CRCs are not all there;"
                                + " looking for the next FPDU");
        assertThat(notes)
                .filteredOn(n -> n.contains("left out"))
                .singleElement()
                .asString()
                .matches("\\d+ bytes at the end are left out: no FPDU was found in them");
    }

    @Test
    @DisplayName("both directions are one conversation, whatever the hashes of its ends")
    void bothDirectionsAreOneConversation() {
        // Endpoints 192.0.2.1:40000 and 192.0.2.2:39969 have the same hash.
        int port = Packets.CLIENT_PORT - 31;
        List<Frame> frames = List.of(
                Packets.frame(1, Packets.udp(true, port, HELLO)), Packets.frame(2, Packets.udp(false, port, HELLO)));

        List<Item> items = Packets.decode(frames, port);

        assertThat(items).extracting(item -> item.place().stream()).containsExactly(0, 0);
        assertThat(items).extracting(item -> item.place().fromInitiator()).containsExactly(true, false);
    }

    @Test
    @DisplayName("nothing is reported about cut bytes")
    void ofWhatWasCutOffNothingIsSaid() {
        Talked talked = Talked.plain()
                .i(Segment.readRequest(1, 0xA0, 0x10, 100, 0xB0, 0x20))
                .i(Segment.terminate(1, 1, 0, 0xC0, new byte[16]));

        List<Item> items = Packets.decode(talked.packets().frames(40 + 20 + 6));

        TextLines text = new TextLines(true, false);
        assertThat(Packets.fpdus(items))
                .flatExtracting(text::lines)
                .noneMatch(line -> line.contains("bytes from STag"))
                .noneMatch(line -> line.contains("0/0/00"))
                .anyMatch(line -> line.endsWith("Terminate, crc cut"))
                .anyMatch(line -> line.endsWith("28 bytes, not all captured"));
        assertThat(new JsonLines(false).object(Packets.fpdus(items).get(0)).has("read"))
                .isFalse();
        assertThat(Packets.violations(items)).isEmpty();
    }

    @Test
    @DisplayName("a cut datagram keeps its lengths")
    void datagramThatWasCutKeepsItsLengths() {
        Frame cut = Packets.cut(Packets.frame(1, Packets.udp(7174, HELLO)), 28 + 44);

        assertThat(Packets.decode(List.of(cut))).as("its CRC cannot be checked").isEmpty();
        assertThat(Packets.decode(List.of(cut), 7174)).singleElement().satisfies(item -> {
            Item.Datagram datagram = (Item.Datagram) item;
            assertThat(datagram.crc()).isEqualTo(Crc.CUT);
            assertThat(datagram.findings()).isEmpty();
            assertThat(new JsonLines(false).object(item).path("length").asInt()).isEqualTo(5);
        });
    }

    @Test
    @DisplayName("without the Reply the initiator's FPDUs are still decoded")
    void replyThatWasNotCaptured() {
        for (Talked talked :
                List.of(Talked.plain().chatter(), Talked.withMarkers().chatter())) {
            Packets packets =
                    Packets.open().send(true, talked.initiator.get(0)).lose(false, talked.responder.get(0).length);

            List<Item> items = packets.sendEach(true, talked.fpdus(true))
                    .sendEach(false, talked.fpdus(false))
                    .decode();

            assertThat(Packets.fpdus(items))
                    .hasSize(talked.initiator.size() + talked.responder.size() - 2)
                    .allMatch(f -> f.crc() == Crc.OK);
            assertThat(Packets.violations(items)).isEmpty();
        }
    }

    /** FPDUs of a sender with one wrong rule, a segment each, the first of them not from its start on. */
    private static Packets misframed(FramingFault fault, boolean markers, boolean crc, int fpdus) {
        Misframer framer = new Misframer(fault, markers, crc, 20);
        framer.frame(Segment.send(1, new byte[501]).bytes());
        Packets packets = Packets.midway().send(true, Octets.pattern(99, 1));
        for (int msn = 2; msn < fpdus + 2; msn++) {
            Segment segment = Segment.send(msn, Octets.pattern(msn * 7 % 61, msn));
            packets.send(true, framer.frame(segment.bytes()));
        }
        return packets;
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC_ABSENT", "PAD_ABSENT", "PAD_AND_CRC_ABSENT", "LENGTH_COUNTS_CRC", "LENGTH_LITTLE_ENDIAN"})
    @DisplayName("without the start a wrong rule is named if several FPDUs that begin segments show it")
    void withoutStartWrongRuleIsNamed(FramingFault fault) {
        List<Item> items = misframed(fault, false, false, 12).decode(Packets.SERVER_PORT);

        assertThat(Packets.violations(items)).containsExactly(fault.requirement(false));
        assertThat(Packets.notes(items))
                .contains("an FPDU begins here, by the start of a TCP segment; 99 bytes before it left out");
        assertThat(Packets.fpdus(items))
                .extracting(item -> item.segment().msn())
                .startsWith(2L, 3L)
                .endsWith(13L)
                .hasSize(12);
    }

    @Test
    @DisplayName("if a side counts its Markers from a wrong place, the same count holds after a gap")
    void wrongCountOfMarkersGoesOnBehindHole() {
        Talked talked = Talked.of(true, false, new byte[8]);
        Misframer framer = new Misframer(FramingFault.MARKERS_COUNT_START, true, false, 28);
        for (int msn = 1; msn <= 60; msn++) {
            byte[] ulpdu = Segment.send(msn, Octets.pattern(200, msn)).bytes();
            talked.initiator.add(framer.frame(ulpdu));
        }

        List<Item> items = talked.opened()
                .sendEach(true, talked.initiator.subList(1, 20))
                .lose(true, talked.initiator.get(20).length)
                .sendEach(true, talked.initiator.subList(21, 61))
                .decode();

        assertThat(Packets.violations(items)).containsExactly(FramingFault.MARKERS_COUNT_START.requirement(false));
        assertThat(Packets.fpdus(items)).hasSize(59);
    }

    @Test
    @DisplayName("two FPDUs are not enough to name a rule")
    void twoFpdusShowNoRule() {
        List<Item> items = misframed(FramingFault.CRC_ABSENT, false, false, 2).decode(Packets.SERVER_PORT);

        assertThat(Packets.violations(items)).isEmpty();
        assertThat(Packets.fpdus(items)).isEmpty();
    }

    @Test
    @DisplayName(
            "what cannot be read with certainty is told once, with the byte and the reason; what is beyond doubt is shown")
    void whatIsNotCertainIsToldOnce() {
        List<Item> items = misframed(FramingFault.MARKERS_FORGET_THEMSELVES, true, true, 200)
                .decode(Packets.SERVER_PORT);

        assertThat(Packets.notes(items))
                .filteredOn(note -> note.contains("not certain"))
                .singleElement()
                .asString()
                .matches("from byte \\d+ of this side on it is not certain where FPDUs begin: .+;"
                        + " only those that are beyond doubt are shown");
        assertThat(Packets.violations(items)).isEmpty();
        assertThat(Packets.fpdus(items)).hasSizeBetween(100, 199).allMatch(item -> item.crc() == Crc.OK);
    }

    @Test
    @DisplayName("a responder does not send first if its peer's first FPDU was lost, even with a FIN")
    void responderDoesNotSpeakFirst() {
        Talked talked = Talked.plain().i(Segment.send(1)).i(Segment.send(2)).r(Segment.send(1));
        Packets packets = talked.opened()
                .lose(true, talked.initiator.get(1).length)
                .send(true, talked.initiator.get(2))
                .finish(true)
                .send(false, talked.responder.get(1));

        assertThat(Packets.violations(packets.decode())).isEmpty();
    }

    @Test
    @DisplayName("nonsense in the stream is skipped")
    void nonsenseInStreamIsPassedOver() {
        Talked talked = Talked.plain().sends(6, msn -> 40);

        List<Item> items = talked.opened()
                .send(true, talked.initiator.get(1))
                .send(true, Octets.pattern(333, 9))
                .sendEach(true, talked.initiator.subList(2, 7))
                .finish(true)
                .decode();

        assertThat(Packets.fpdus(items).stream().filter(f -> f.crc() == Crc.OK)).hasSizeGreaterThanOrEqualTo(5);
        assertThat(Packets.notes(items)).anyMatch(n -> n.contains("makes no sense"));
    }

    @Test
    @DisplayName("a note reports an FPDU that is cut off by the end")
    void fpduThatIsCutOffByEndIsSaid() {
        Talked talked = Talked.plain().i(Segment.send(1, new byte[100]));
        Packets packets = talked.opened()
                .send(true, Arrays.copyOf(talked.initiator.get(1), 50))
                .finish(true);

        assertThat(Packets.notes(packets.decode())).contains("the stream ends 50 bytes into an FPDU");
    }

    @Test
    @DisplayName("a new connection with the same ports is another stream")
    void connectionThatUsesPortsAgainIsAnotherStream() {
        Talked talked = Talked.plain().i(Segment.send(1));
        List<Frame> frames = talked.packets().finish(true).finish(false).frames();
        frames.addAll(talked.packets().frames());

        List<Item> items = Packets.decode(frames);

        assertThat(Packets.fpdus(items)).extracting(f -> f.place().stream()).containsExactly(0, 1);
        assertThat(Packets.violations(items)).isEmpty();
    }

    @Test
    @DisplayName("nothing is decoded after a reject")
    void behindRejectNothingIsDecoded() {
        StartFrame reject = StartFrame.reply().with(StartFrame.REJECT);

        List<Item> items =
                new Talked(StartFrame.request(), reject).i(Segment.send(1)).decode();

        assertThat(Packets.fpdus(items)).isEmpty();
        assertThat(Packets.notes(items)).contains("the connection was rejected: no FPDUs follow");
    }
}
