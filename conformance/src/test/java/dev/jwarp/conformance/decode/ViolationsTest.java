package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.conformance.catalogue.Catalogue;
import dev.jwarp.conformance.catalogue.Requirement;
import dev.jwarp.conformance.wire.Depths;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Framer.Flaw;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Opcode;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each violation that a passive observer can see is reported with the id of its requirement, and no other is reported.
 */
class ViolationsTest {
    private record Wrong(String id, Talked talked) {
        @Override
        public String toString() {
            return id;
        }
    }

    private static Wrong wrong(String id, Talked talked) {
        return new Wrong(id, talked);
    }

    /** Of two startup frames one is wrong. */
    private static Wrong wrong(String id, StartFrame request, StartFrame reply) {
        return new Wrong(id, new Talked(request, reply).i(send(1)));
    }

    /** The initiator sends these. */
    private static Wrong wrong(String id, Segment... segments) {
        Talked talked = Talked.plain();
        Stream.of(segments).forEach(talked::i);
        return new Wrong(id, talked);
    }

    private static Segment send(long msn) {
        return Segment.send(msn, Octets.pattern(16, 1));
    }

    private static StartFrame asking(boolean peerToPeer, int rtr, int ird, int ord) {
        return StartFrame.request().enhanced(new Depths(peerToPeer, rtr, ird, ord));
    }

    private static StartFrame answering(boolean peerToPeer, int rtr, int ird, int ord) {
        return StartFrame.reply().enhanced(new Depths(peerToPeer, rtr, ird, ord));
    }

    private static Segment read(long msn) {
        return Segment.readRequest(msn, 0xA0, 0x10, 100, 0xB0, 0x20);
    }

    private static Segment answer(int length) {
        return Segment.readResponse(0xA0, 0x10, Octets.pattern(length, 2));
    }

    private static Segment atomic(int operation, long mask) {
        return Made.atomic(1, operation, 7, mask);
    }

    private static Segment immediate() {
        return Segment.of(Opcode.IMMEDIATE).msn(1).payload(new byte[8]);
    }

    static Stream<Wrong> startFrames() {
        return Stream.of(
                wrong("MPA-7.1.1-8", StartFrame.request().with(StartFrame.REJECT), StartFrame.reply()),
                wrong("MPA-7.1.1-9", StartFrame.request().with(1), StartFrame.reply()),
                wrong("MPA-7.1.1-11", StartFrame.request().revision(3), StartFrame.reply()),
                wrong("MPA-7.1.1-12", StartFrame.request(), StartFrame.reply().declaring(513)),
                wrong("MPA2-6-1", asking(false, 0, 1, 1).revision(1), answering(false, 0, 1, 1)),
                wrong(
                        "MPA2-6-3",
                        asking(false, 0, 1, 1),
                        StartFrame.reply().revision(2).with(StartFrame.ENHANCED)),
                wrong("MPA2-9.2-8", asking(false, Depths.SEND, 1, 1), answering(false, 0, 1, 1)),
                wrong("MPA2-9.2-1", asking(false, 0, 1, 1), answering(false, Depths.READ, 1, 1)),
                wrong("MPA2-9.2-2", asking(true, 7, 1, 1), answering(false, 0, 1, 1)),
                wrong("MPA2-9.2-3", new Talked(asking(true, 7, 1, 1), answering(true, 0, 1, 1))),
                wrong("MPA2-9.2-4", asking(true, 7, 1, 1), answering(true, Depths.WRITE, 1, 1)),
                wrong("MPA2-9.1-1", asking(false, 0, 4, 1), answering(false, 0, 1, 5)),
                wrong("MPA2-9.1-6", asking(false, 0, 1, 0x3FFF), answering(false, 0, 4, 1)),
                wrong("MPA2-9.1-7", asking(false, 0, 0x3FFF, 1), answering(false, 0, 1, 1)),
                wrong("MPA2-10-1", asking(false, 0, 1, 1), StartFrame.reply()),
                wrong("MPA2-10-2", StartFrame.request(), answering(false, 0, 1, 1)));
    }

    static Stream<Wrong> frames() {
        return Stream.of(
                wrong("MPA-3-1", send(1).cut(13)),
                wrong("MPA-3-2", Segment.write(1, 2, new byte[65_000])),
                wrong("MPA-4.1-3", Talked.plain().i(Segment.send(1, (byte) 9), Flaw.PAD_ONES)),
                wrong("MPA-4.2-1", Talked.withMarkers().i(send(1), Flaw.MARKER_RESERVED)),
                wrong("MPA-4.3-2", Talked.withMarkers().i(send(1), Flaw.MARKER_POINTER)),
                wrong(
                        "MPA-4.3-4",
                        Talked.withMarkers()
                                .i(Segment.send(1, new byte[400]))
                                .i(Segment.send(2, new byte[400]), Flaw.MARKER_POINTER)),
                wrong("MPA-4.4-2", Talked.plain().i(send(1), Flaw.CRC)),
                wrong("MPA-4.4-3", Talked.plain().i(send(1), Flaw.CRC_SWAPPED)),
                wrong("MPA-7.1.2-6", Talked.plain().r(send(1))));
    }

    static Stream<Wrong> segments() {
        return Stream.of(
                wrong("DDP-4.1-1", read(1).last(false)),
                wrong("DDP-4.1-2", send(1).ddpReserved(5)),
                wrong("DDP-4.1-3", send(1).ddpVersion(2)),
                wrong("DDP-4.2-1", Segment.write(1, 0, new byte[8]).last(false), Segment.write(2, 8, new byte[8])),
                wrong("DDP-4.3-1", send(2)),
                wrong("DDP-4.3-2", send(1), send(3)),
                wrong("DDP-4.3-3", send(1).last(false), send(2).mo(16)),
                wrong("DDP-4.3-4", send(1).mo(4)),
                wrong("DDP-5.2-1", send(1).last(false), send(1).mo(20)),
                wrong("DDP-5.2-2", Segment.write(1, 0, new byte[8]).last(false), Segment.write(1, 9, new byte[8])),
                wrong("DDP-5.2-3", Segment.write(1, 0).last(false)),
                wrong("RDMAP-4.1-1", send(1).opcode(13)),
                wrong("RDMAP-4.1-1", Segment.write(1, 2, new byte[3]).opcode(3)),
                wrong("RDMAP-4.1-2", send(1).rdmapVersion(0)),
                wrong("RDMAP-4.1-2", send(1).rdmapReserved(1)),
                wrong("RDMAP-4.1-3", send(1).invalidate(5)),
                wrong("RDMAP-5.3-2", send(1).queue(5)),
                wrong("RDMAP-5.2.1-1", read(1).queue(0)),
                wrong("RDMAP-4.4-1", read(1).cut(44)),
                wrong("RDMAP-5.4-1", Segment.terminate(0, 0, 0, 0).msn(2).queue(5)),
                wrong("RDMAP-4.8-1", Segment.terminate(0, 2, 2, 0)),
                wrong("RDMAP-4.8-1", Segment.terminate(0, 0, 0, 0).cut(20)),
                wrong("RDMAP-4.8-2", Segment.terminate(1, 1, 0, 0xC0, new byte[5])),
                wrong("RDMAP-5.4-2", Segment.terminate(0, 0, 0, 0), send(1)),
                wrong("EXT-4.1-1", atomic(1, 0)),
                wrong("EXT-4.1-1", immediate().queue(4)),
                wrong("EXT-4.1-2", immediate().invalidate(1)),
                wrong("EXT-5.2.1-1", atomic(0, -1).cut(60)),
                wrong("EXT-5.2.1-5", atomic(0, 0)),
                wrong("EXT-5.2.1-5", atomic(0x10, -1)),
                wrong("EXT-6.3-1", immediate().payload(new byte[4])));
    }

    static Stream<Wrong> requests() {
        return Stream.of(
                wrong("RDMAP-5.2.2-3", Talked.plain().i(send(1)).r(answer(100))),
                wrong("RDMAP-5.2.2-3", Talked.plain().i(read(1)).r(answer(100)).r(answer(100))),
                wrong("RDMAP-4.4-2", Talked.plain().i(read(1)).r(answer(100).to(0x11))),
                wrong("RDMAP-5.2.1-2", Talked.plain().i(read(1)).r(answer(99))),
                wrong("RDMAP-5.2.1-2", Talked.plain().i(read(1)).r(answer(101))),
                wrong(
                        "RDMAP-6.1-2",
                        new Talked(asking(false, 0, 1, 2), answering(false, 0, 1, 1))
                                .i(read(1))
                                .i(read(2))
                                .r(answer(100))
                                .r(answer(100))),
                wrong("EXT-7-1", Talked.plain().i(atomic(0, -1)).r(answer(100))),
                wrong("EXT-5.2.2-1", Talked.plain().i(atomic(0, -1)).r(Made.answer(1, 8))),
                wrong("EXT-5.2.2-3", Talked.plain().i(send(1)).r(Made.answer(1, 8))));
    }

    @ParameterizedTest
    @MethodSource({"startFrames", "frames", "segments", "requests"})
    @DisplayName("only the violation is reported")
    void isToldAndNothingElse(Wrong wrong) {
        assertThat(new TreeSet<>(Packets.violations(wrong.talked.decode()))).containsExactly(wrong.id);
    }

    @Test
    @DisplayName("a wrong key is reported on a named port only")
    void keyThatIsNoneIsToldOfNamedPortOnly() {
        Packets packets = Packets.open().send(true, Octets.pattern(64, 1));

        assertThat(packets.decode()).isEmpty();
        assertThat(Packets.violations(packets.decode(Packets.SERVER_PORT))).containsExactly("MPA-7.1.1-1");
    }

    @Test
    @DisplayName("a wrong Reply is reported")
    void replyThatIsNoneIsTold() {
        Packets packets =
                Packets.open().send(true, StartFrame.request().bytes()).send(false, Octets.pattern(64, 1));

        assertThat(Packets.violations(packets.decode())).containsExactly("MPA-7.1.1-3");
    }

    @Test
    @DisplayName("a Marker between FPDUs has to be zero")
    void markerBetweenFpdusHasToBeZero() {
        Talked talked = Talked.withMarkers();
        // 512 bytes: the next Marker stands in front of the second FPDU.
        talked.i(Segment.send(1, new byte[512 - 4 - 6 - 18]));
        assertThat(talked.fromInitiator.position()).isEqualTo(512);

        List<Item> items = talked.i(send(2), Flaw.MARKER_POINTER).decode();

        assertThat(Packets.violations(items)).containsExactly("MPA-4.3-7");
    }

    @Test
    @DisplayName("low bits of a Marker are reported and ignored")
    void lowBitsOfMarkerAreToldAndDoNotCount() {
        Talked talked = Talked.withMarkers().i(send(1));
        byte[] octets = talked.initiator.get(1);
        octets[3] = 2;
        System.arraycopy(Framer.crcOnTheWire(octets, 0, octets.length - 4), 0, octets, octets.length - 4, 4);

        assertThat(Packets.violations(talked.decode())).containsExactly("MPA-4.2-2");
    }

    @Test
    @DisplayName("a good conversation has no findings")
    void nothingIsToldOfGoodConversation() {
        for (Talked talked : List.of(
                Talked.plain(),
                Talked.withoutCrc(),
                Talked.withMarkers(),
                new Talked(asking(false, 0, 4, 4), answering(false, 0, 4, 4)))) {
            assertThat(Packets.violations(talked.chatter().decode())).isEmpty();
        }
        assertThat(Packets.violations(Talked.plain()
                        .i(read(1))
                        .i(atomic(0, -1).msn(2))
                        .r(answer(100))
                        .r(Made.answer(1, 7))
                        .decode()))
                .isEmpty();
    }

    @Test
    @DisplayName("frames that depend on bytes that were not captured yet are not judged by them")
    void whatWasSentInKnowledge() {
        Talked talked = Talked.plain().i(send(1));
        byte[] request = talked.fromInitiator.frame(read(1).bytes());
        Packets packets = talked.packets();
        packets.lose(true, request.length);
        talked.r(answer(100));

        List<Item> items = packets.send(false, talked.responder.get(1)).decode();

        assertThat(Packets.violations(items)).isEmpty();
    }

    @Test
    @DisplayName("every id is one of the catalogue")
    void everyIdIsOneOfCatalogue() throws IOException {
        Set<String> known = Catalogue.load().all().stream().map(Requirement::id).collect(Collectors.toSet());
        Set<String> used = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java/dev/jwarp/conformance/decode"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                Pattern.compile("\"((?:MPA2?|DDP|RDMAP|EXT|DG)-(?:[KGR]\\.)?[0-9][0-9.]*-[0-9]+)\"")
                        .matcher(Files.readString(source))
                        .results()
                        .map((MatchResult m) -> m.group(1))
                        .forEach(used::add);
            }
        }
        assertThat(used).hasSizeGreaterThan(60);
        assertThat(known).containsAll(used);
    }
}
