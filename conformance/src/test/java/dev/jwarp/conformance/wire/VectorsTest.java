package dev.jwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tester's own codecs read and write the project's vectors byte for byte: good ones and malformed ones. */
class VectorsTest {
    static final List<Vector> CRCS = Vectors.ofKind("crc32c");
    static final List<Vector> START_FRAMES = Vectors.ofKind("mpa");
    static final List<Vector> FPDUS = Vectors.ofKind("fpdu");
    static final List<Vector> MALFORMED = Vectors.ofKind("malformed-fpdu");

    @ParameterizedTest
    @FieldSource("CRCS")
    @DisplayName("CRCs have the byte order of the documents")
    void crcsStandOnWireAsDocumentsShowThem(Vector vector) {
        byte[] octets = vector.octets();

        assertThat(Framer.crcOnTheWire(octets, 0, octets.length)).isEqualTo(vector.bytes("crc_wire"));
    }

    @ParameterizedTest
    @FieldSource("START_FRAMES")
    @DisplayName("start-up frames are parsed and built")
    void startUpFramesAreTakenApartAndPutTogether(Vector vector) {
        JsonNode fields = vector.json().path("fields");

        StartFrame frame = StartFrame.parse(vector.octets());

        assertThat(frame.bytes()).isEqualTo(vector.octets());
        assertThat(frame.key())
                .isEqualTo(fields.path("key").asText().equals("req") ? StartFrame.REQUEST_KEY : StartFrame.REPLY_KEY);
        assertThat(frame.revision()).isEqualTo(fields.path("rev").asInt());
        assertThat(frame.privateData()).isEqualTo(Octets.hex(fields.path("pd").asText()));
        flag(fields, "M", frame.has(StartFrame.MARKERS));
        flag(fields, "C", frame.has(StartFrame.CRC));
        flag(fields, "R", frame.has(StartFrame.REJECT));
        flag(fields, "S", frame.has(StartFrame.ENHANCED));
        JsonNode word = fields.path("v2");
        if (!word.isMissingNode()) {
            Depths depths = frame.depths();
            assertThat(depths).isNotNull();
            flag(word, "A", depths.peerToPeer());
            flag(word, "B", (depths.rtr() & Depths.SEND) != 0);
            flag(word, "C", (depths.rtr() & Depths.WRITE) != 0);
            flag(word, "D", (depths.rtr() & Depths.READ) != 0);
            assertThat(depths.ird()).isEqualTo(word.path("ird").asInt());
            assertThat(depths.ord()).isEqualTo(word.path("ord").asInt());
            assertThat(depths.bytes()).isEqualTo(Arrays.copyOf(frame.privateData(), Depths.SIZE));
        }
    }

    private static void flag(JsonNode fields, String name, boolean seen) {
        assertThat(seen).as(name).isEqualTo(fields.path(name).asInt() == 1);
    }

    @ParameterizedTest
    @FieldSource("FPDUS")
    @DisplayName("FPDUs are extracted from the stream")
    void fpdusAreCutOutOfStream(Vector vector) {
        Deframer deframer = deframer(vector);
        for (JsonNode wanted : vector.json().path("segments")) {
            Fpdu fpdu = deframer.next();

            assertThat(fpdu).isNotNull();
            assertThat(fpdu.ulpdu()).isEqualTo(Octets.hex(wanted.path("ulpdu").asText()));
            assertThat(fpdu.crcGood()).isEqualTo(vector.flag("crc"));
            assertThat(fpdu.markers()).allMatch(m -> (m.pointer() & ~3) == m.expected());
            check(fpdu.segment(), wanted.path("fields"));
        }
        assertThat(deframer.rest()).isEmpty();
    }

    private static Deframer deframer(Vector vector) {
        Deframer deframer = new Deframer(vector.flag("markers"), vector.number("stream_offset"));
        deframer.add(vector.octets());
        return deframer;
    }

    private static void check(Segment segment, JsonNode fields) {
        flag(fields, "T", segment.tagged());
        flag(fields, "L", segment.last());
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
        return FPDUS.stream()
                .filter(v -> v.flag("crc"))
                // What these have in pad and Markers a sender must not send; the flaws make them, see below.
                .filter(v -> !v.id().matches("FPDU-PAD-NONZERO|MARK-RSVD"));
    }

    @ParameterizedTest
    @MethodSource("ordinaryFpdus")
    @DisplayName("segments are framed like the vectors")
    void segmentsAreFramedAsVectorsAre(Vector vector) {
        Framer framer = new Framer(vector.flag("markers"), true);
        framer.skip((int) vector.number("stream_offset"));
        Octets stream = new Octets();
        for (JsonNode segment : vector.json().path("segments")) {
            byte[] ulpdu = Octets.hex(segment.path("ulpdu").asText());

            assertThat(Segment.parse(ulpdu).bytes()).isEqualTo(ulpdu);
            stream.add(framer.frame(Segment.parse(ulpdu).bytes()));
        }

        assertThat(stream.bytes()).isEqualTo(vector.octets());
    }

    static Stream<Vector> terminated() {
        return MALFORMED.stream().filter(v -> v.expect().has("terminate_ulpdu"));
    }

    @ParameterizedTest
    @MethodSource("terminated")
    @DisplayName("the Terminate that must answer a malformed FPDU is understood")
    void terminateThatMustAnswerMalformed(Vector vector) {
        JsonNode expect = vector.expect();
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
            assertThat(terminated.segmentLength()).isEqualTo(vector.bytes("ulpdu").length);
            assertThat(vector.bytes("ulpdu")).startsWith(terminated.ddpHeader());
        }
    }

    @ParameterizedTest
    @FieldSource("MALFORMED")
    @DisplayName("a malformed FPDU causes no exception")
    void malformedFpduIsTakenInWithoutException(Vector vector) {
        Deframer deframer = deframer(vector);
        for (Fpdu fpdu = deframer.next(); fpdu != null; fpdu = deframer.next()) {
            assertThat(WireFields.line(fpdu.ulpdu())).isNotBlank();
        }
    }

    @ParameterizedTest
    @CsvSource({"BAD-CRC, CRC", "BAD-CRC-SWAPPED, CRC_SWAPPED", "BAD-CRC-PAD, PAD_CRC"})
    @DisplayName("CRCs that are wrong on purpose are wrong")
    void crcsThatAreWrongOnPurposeAreWrong(String id, Framer.Flaw flaw) {
        Fpdu seen = first(Vectors.byId(id).octets());
        Fpdu made = first(new Framer(false, true).frame(seen.ulpdu(), flaw));

        assertThat(seen.crcGood()).isFalse();
        assertThat(made.crcGood()).isFalse();
        assertThat(made.ulpdu()).isEqualTo(seen.ulpdu());
    }

    private static Fpdu first(byte[] octets) {
        Deframer deframer = new Deframer(false);
        deframer.add(octets);
        return Objects.requireNonNull(deframer.next());
    }
}
