package dev.jwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tester's own codecs read and write the project's vectors byte for byte: good ones and malformed ones. */
class VectorsTest {
    private static final List<JsonNode> ALL = load();

    private static List<JsonNode> load() {
        try (InputStream in = VectorsTest.class.getResourceAsStream("/dev/jwarp/vectors/vectors.json")) {
            return StreamSupport.stream(
                            new ObjectMapper().readTree(in).path("vectors").spliterator(), false)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One vector; its text is its name in a test report. */
    record Vector(JsonNode json) {
        byte[] octets(String field) {
            return Octets.hex(json.path(field).asText());
        }

        @Override
        public String toString() {
            return json.path("id").asText() + ": " + json.path("description").asText();
        }
    }

    private static Stream<Vector> ofKind(String kind) {
        return ALL.stream().filter(v -> v.path("kind").asText().equals(kind)).map(Vector::new);
    }

    static Stream<Vector> crcs() {
        return ofKind("crc32c");
    }

    @ParameterizedTest
    @MethodSource("crcs")
    @DisplayName("CRCs have the byte order of the documents")
    void crcsStandOnWireAsDocumentsShowThem(Vector vector) {
        byte[] octets = vector.octets("hex");

        assertThat(Framer.crcOnTheWire(octets, 0, octets.length)).isEqualTo(vector.octets("crc_wire"));
    }

    static Stream<Vector> startFrames() {
        return ofKind("mpa");
    }

    @ParameterizedTest
    @MethodSource("startFrames")
    @DisplayName("start-up frames are parsed and built")
    void startUpFramesAreTakenApartAndPutTogether(Vector vector) {
        JsonNode fields = vector.json().path("fields");

        StartFrame frame = StartFrame.parse(vector.octets("hex"));

        assertThat(frame.bytes()).isEqualTo(vector.octets("hex"));
        assertThat(frame.key())
                .isEqualTo(fields.path("key").asText().equals("req") ? StartFrame.REQUEST_KEY : StartFrame.REPLY_KEY);
        assertThat(frame.has(StartFrame.MARKERS)).isEqualTo(fields.path("M").asInt() == 1);
        assertThat(frame.has(StartFrame.CRC)).isEqualTo(fields.path("C").asInt() == 1);
        assertThat(frame.has(StartFrame.REJECT)).isEqualTo(fields.path("R").asInt() == 1);
        assertThat(frame.revision()).isEqualTo(fields.path("rev").asInt());
        assertThat(frame.privateData()).isEqualTo(Octets.hex(fields.path("pd").asText()));
        JsonNode word = fields.path("v2");
        if (!word.isMissingNode()) {
            Depths depths = frame.depths();
            assertThat(depths).isNotNull();
            assertThat(depths.peerToPeer()).isEqualTo(word.path("A").asInt() == 1);
            assertThat((depths.rtr() & Depths.SEND) != 0)
                    .isEqualTo(word.path("B").asInt() == 1);
            assertThat((depths.rtr() & Depths.WRITE) != 0)
                    .isEqualTo(word.path("C").asInt() == 1);
            assertThat((depths.rtr() & Depths.READ) != 0)
                    .isEqualTo(word.path("D").asInt() == 1);
            assertThat(depths.ird()).isEqualTo(word.path("ird").asInt());
            assertThat(depths.ord()).isEqualTo(word.path("ord").asInt());
            assertThat(depths.bytes()).isEqualTo(Arrays.copyOf(frame.privateData(), Depths.SIZE));
        }
    }

    static Stream<Vector> fpdus() {
        return ofKind("fpdu");
    }

    @ParameterizedTest
    @MethodSource("fpdus")
    @DisplayName("FPDUs are extracted from the stream")
    void fpdusAreCutOutOfStream(Vector vector) {
        boolean markers = vector.json().path("markers").asBoolean();
        Deframer deframer =
                new Deframer(markers, vector.json().path("stream_offset").asLong());
        deframer.add(vector.octets("hex"));
        for (JsonNode wanted : vector.json().path("segments")) {
            Fpdu fpdu = deframer.next();

            assertThat(fpdu).isNotNull();
            assertThat(fpdu.ulpdu()).isEqualTo(Octets.hex(wanted.path("ulpdu").asText()));
            assertThat(fpdu.crcGood()).isEqualTo(vector.json().path("crc").asBoolean());
            assertThat(fpdu.markers()).allMatch(m -> (m.pointer() & ~3) == m.expected());
            check(fpdu.segment(), wanted.path("fields"));
        }
        assertThat(deframer.rest()).isEmpty();
    }

    private static void check(Segment segment, JsonNode fields) {
        assertThat(segment.tagged()).isEqualTo(fields.path("T").asInt() == 1);
        assertThat(segment.last()).isEqualTo(fields.path("L").asInt() == 1);
        assertThat(segment.ddpReserved()).isEqualTo(fields.path("ddp_rsvd").asInt());
        assertThat(segment.ddpVersion()).isEqualTo(fields.path("DV").asInt());
        assertThat(segment.rdmapVersion()).isEqualTo(fields.path("RV").asInt());
        assertThat(segment.rdmapReserved()).isEqualTo(fields.path("rdmap_rsvd").asInt());
        assertThat(segment.opcodeNumber()).isEqualTo(fields.path("op").asInt());
        if (segment.tagged()) {
            assertThat(segment.stag()).isEqualTo(fields.path("stag").asLong());
        } else {
            assertThat(segment.queue()).isEqualTo(fields.path("qn").asLong());
            assertThat(segment.msn()).isEqualTo(fields.path("msn").asLong());
            assertThat(segment.mo()).isEqualTo(fields.path("mo").asLong());
            assertThat(segment.invalidate()).isEqualTo(fields.path("inv").asLong());
        }
    }

    static Stream<Vector> ordinaryFpdus() {
        return fpdus().filter(v -> v.json().path("crc").asBoolean())
                // What these have in pad and Markers a sender must not send; the flaws make them, see below.
                .filter(v -> !v.json().path("id").asText().matches("FPDU-PAD-NONZERO|MARK-RSVD"));
    }

    @ParameterizedTest
    @MethodSource("ordinaryFpdus")
    @DisplayName("segments are framed like the vectors")
    void segmentsAreFramedAsVectorsAre(Vector vector) {
        Framer framer = new Framer(vector.json().path("markers").asBoolean(), true);
        framer.skip(vector.json().path("stream_offset").asInt());
        Octets stream = new Octets();
        for (JsonNode segment : vector.json().path("segments")) {
            byte[] ulpdu = Octets.hex(segment.path("ulpdu").asText());

            assertThat(Segment.parse(ulpdu).bytes()).isEqualTo(ulpdu);
            stream.add(framer.frame(Segment.parse(ulpdu).bytes()));
        }

        assertThat(stream.bytes()).isEqualTo(vector.octets("hex"));
    }

    static Stream<Vector> terminated() {
        return ofKind("malformed-fpdu").filter(v -> v.json().path("expect").has("terminate_ulpdu"));
    }

    @ParameterizedTest
    @MethodSource("terminated")
    @DisplayName("the Terminate that must answer a malformed FPDU is understood")
    void terminateThatMustAnswerMalformed(Vector vector) {
        JsonNode expect = vector.json().path("expect");
        byte[] ulpdu = Octets.hex(expect.path("terminate_ulpdu").asText());

        Segment segment = Segment.parse(ulpdu);
        TerminateFields terminated = TerminateFields.parse(segment.payload());

        assertThat(segment.is(Opcode.TERMINATE)).isTrue();
        assertThat(terminated).isNotNull();
        assertThat(terminated.swapped()).isFalse();
        assertThat(terminated.cause())
                .isEqualTo(TerminateFields.cause(
                        expect.path("layer").asInt(),
                        expect.path("type").asInt(),
                        expect.path("code").asInt()));
        assertThat(terminated.trailing()).isZero();
        if (terminated.ddpHeader() != null) {
            // RFC 5040 §4.8: the segment's own length and header.
            assertThat(terminated.segmentLength()).isEqualTo(vector.octets("ulpdu").length);
            assertThat(vector.octets("ulpdu")).startsWith(terminated.ddpHeader());
        }
    }

    static Stream<Vector> malformed() {
        return ofKind("malformed-fpdu");
    }

    @ParameterizedTest
    @MethodSource("malformed")
    @DisplayName("a malformed FPDU causes no exception")
    void malformedFpduIsTakenInWithoutException(Vector vector) {
        Deframer deframer = new Deframer(
                vector.json().path("markers").asBoolean(),
                vector.json().path("stream_offset").asLong());
        deframer.add(vector.octets("hex"));
        for (Fpdu fpdu = deframer.next(); fpdu != null; fpdu = deframer.next()) {
            assertThat(WireFields.line(fpdu.ulpdu())).isNotBlank();
        }
    }

    static Stream<String> crcFlaws() {
        return Stream.of("BAD-CRC", "BAD-CRC-SWAPPED", "BAD-CRC-PAD");
    }

    @ParameterizedTest
    @MethodSource("crcFlaws")
    @DisplayName("CRCs that are wrong on purpose are wrong")
    void crcsThatAreWrongOnPurposeAreWrong(String id) {
        Vector vector = malformed()
                .filter(v -> v.json().path("id").asText().equals(id))
                .findFirst()
                .orElseThrow();
        Deframer deframer = new Deframer(false);
        deframer.add(vector.octets("hex"));
        Fpdu seen = deframer.next();
        assertThat(seen).isNotNull();
        assertThat(seen.crcGood()).isFalse();

        Framer.Flaw flaw = id.endsWith("SWAPPED")
                ? Framer.Flaw.CRC_SWAPPED
                : id.endsWith("PAD") ? Framer.Flaw.PAD_CRC : Framer.Flaw.CRC;
        Deframer own = new Deframer(false);
        own.add(new Framer(false, true).frame(seen.ulpdu(), flaw));
        Fpdu made = own.next();
        assertThat(made).isNotNull();
        assertThat(made.crcGood()).isFalse();
        assertThat(made.ulpdu()).isEqualTo(seen.ulpdu());
    }
}
