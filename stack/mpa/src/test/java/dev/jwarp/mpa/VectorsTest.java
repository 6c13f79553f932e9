package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Every vector of MPA, byte for byte")
class VectorsTest {
    /** Valid on receipt, but never sent by this stack: a pad, a CRC field or reserved Marker bits that are not zero. */
    private static final Set<String> RECEIVED_ONLY = Set.of("FPDU-PAD-NONZERO", "FPDU-NOCRC", "MARK-RSVD");

    static List<Vector> crc32c() {
        return Vectors.ofKind("crc32c");
    }

    static List<Vector> mpa() {
        return Vectors.ofKind("mpa");
    }

    static List<Vector> fpdu() {
        return Vectors.ofKind("fpdu");
    }

    static Stream<Vector> sentFpdu() {
        return fpdu().stream().filter(v -> !RECEIVED_ONLY.contains(v.id()));
    }

    static List<Vector> malformedFpdu() {
        return Vectors.ofKind("malformed-fpdu");
    }

    @Test
    @DisplayName("the number of vectors of each kind is that of the README")
    void counts() {
        assertThat(crc32c()).hasSize(7);
        assertThat(mpa()).hasSize(23);
        assertThat(fpdu()).hasSize(69);
        assertThat(malformedFpdu()).hasSize(53);
        assertThat(Vectors.ofKind("malformed-mpa")).hasSize(21);
        assertThat(Vectors.ofKind("malformed-stream")).hasSize(3);
    }

    @ParameterizedTest
    @MethodSource("crc32c")
    @DisplayName("the JDK's CRC32C, least significant octet first, is the CRC of the RFCs")
    void crcVector(Vector vector) {
        long sum = Streams.crc32c(vector.octets());
        byte[] onTheWire = new byte[4];
        ByteBuffer.wrap(onTheWire).order(ByteOrder.LITTLE_ENDIAN).putInt((int) sum);
        assertThat(onTheWire).isEqualTo(Vectors.hex(vector.text("crc_wire")));
        assertThat("0x%08x".formatted(sum)).isEqualTo(vector.text("crc_value"));
    }

    @ParameterizedTest
    @MethodSource("mpa")
    @DisplayName("a start-up frame decodes to its fields and encodes to its bytes")
    void startFrameVector(Vector vector) {
        JsonNode fields = vector.json().path("fields");
        StartFrame.Kind kind =
                fields.path("key").asText().equals("req") ? StartFrame.Kind.REQUEST : StartFrame.Kind.REPLY;
        ByteBuffer in = ByteBuffer.wrap(vector.octets());
        StartFrameAssembler assembler = new StartFrameAssembler(kind);
        assertThat(assembler.receive(in)).isEqualTo(StartFrameAssembler.Progress.COMPLETE);
        assertThat(in.hasRemaining()).isFalse();

        StartFrame frame = assembler.frame();
        assertThat(frame.kind()).isEqualTo(kind);
        assertThat(frame.revision()).isEqualTo(fields.path("rev").asInt());
        assertThat(frame.markers()).isEqualTo(fields.path("M").asInt() == 1);
        assertThat(frame.crc()).isEqualTo(fields.path("C").asInt() == 1);
        assertThat(frame.rejected()).isEqualTo(fields.path("R").asInt() == 1);
        assertThat(frame.reserved()).isEqualTo(fields.path("res").asInt());
        assertThat(frame.length())
                .isEqualTo(20 + fields.path("pd_length").asInt())
                .isEqualTo(vector.octets().length);
        String privateData = fields.path("pd").asText();
        if (fields.path("S").asInt() == 1) {
            JsonNode word = fields.path("v2");
            EnhancedData enhanced = frame.enhanced();
            assertThat(enhanced).isNotNull();
            assertThat(enhanced.peerToPeer()).isEqualTo(word.path("A").asInt() == 1);
            assertThat(enhanced.rtrTypes().contains(RtrType.SEND))
                    .isEqualTo(word.path("B").asInt() == 1);
            assertThat(enhanced.rtrTypes().contains(RtrType.WRITE))
                    .isEqualTo(word.path("C").asInt() == 1);
            assertThat(enhanced.rtrTypes().contains(RtrType.READ))
                    .isEqualTo(word.path("D").asInt() == 1);
            assertThat(enhanced.ird()).isEqualTo(word.path("ird").asInt());
            assertThat(enhanced.ord()).isEqualTo(word.path("ord").asInt());
            privateData = privateData.substring(2 * EnhancedData.LENGTH);
        } else {
            assertThat(frame.enhanced()).isNull();
        }
        assertThat(frame.privateData().toByteArray()).isEqualTo(Vectors.hex(privateData));
        assertThat(frame.encode()).isEqualTo(ByteBuffer.wrap(vector.octets()));
    }

    @ParameterizedTest
    @MethodSource("fpdu")
    @DisplayName("a stream of FPDUs decodes to its ULPDUs, read in one piece or byte by byte")
    void fpduDecodes(Vector vector) {
        for (int piece : new int[] {Integer.MAX_VALUE, 1, 7}) {
            Streams.Delivered delivered = new Streams.Delivered();
            FpduAssembler assembler = receive(vector, vector.octets(), piece, delivered);
            assertThat(assembler.error()).isNull();
            assertThat(assembler.atBoundary()).isTrue();
            assertThat(assembler.streamOffset()).isEqualTo(vector.number("stream_offset") + vector.octets().length);
            assertThat(delivered.ulpdus).containsExactlyElementsOf(ulpdus(vector));
        }
    }

    @ParameterizedTest
    @MethodSource("sentFpdu")
    @DisplayName("its ULPDUs encode to that stream, for any division into header and payload")
    void fpduEncodes(Vector vector) {
        FpduBatch batch = new FpduBatch(FpduBatch.MIN_CAPACITY, 256); // gathers payload above 256 octets
        for (int headerLength : new int[] {0, 14, 18, Integer.MAX_VALUE}) {
            for (boolean stable : new boolean[] {true, false}) {
                batch.reset(vector.flag("crc"), vector.flag("markers"), vector.number("stream_offset"));
                for (byte[] ulpdu : ulpdus(vector)) {
                    Streams.add(batch, ulpdu, Math.min(headerLength, ulpdu.length), stable);
                }
                assertThat(batch.streamOffset()).isEqualTo(vector.number("stream_offset") + vector.octets().length);
                assertThat(Streams.drain(batch, 100)).isEqualTo(vector.octets());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("malformedFpdu")
    @DisplayName("a malformed FPDU is an MPA error if MPA detects it, otherwise its ULPDU is delivered")
    void malformedFpduVector(Vector vector) {
        boolean ours = vector.expect().path("layer").asInt() == 2;
        for (int piece : new int[] {Integer.MAX_VALUE, 1}) {
            Streams.Delivered delivered = new Streams.Delivered();
            FpduAssembler assembler = receive(vector, vector.octets(), piece, delivered);
            if (ours) {
                assertThat(assembler.error()).isNotNull();
                assertThat(assembler.error().code())
                        .isEqualTo(vector.expect().path("code").asInt());
                assertThat(delivered.ulpdus).isEmpty();
                assertThat(assembler.streamOffset()).isEqualTo(vector.number("stream_offset"));
            } else {
                assertThat(assembler.error()).isNull();
                assertThat(delivered.ulpdus).containsExactly(Vectors.hex(vector.text("ulpdu")));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("malformedFpdu")
    @DisplayName("the setup FPDUs are valid, and the Terminate has the framing of our encoder")
    void setupAndTerminateAreGood(Vector vector) {
        FpduAssembler assembler =
                new FpduAssembler(vector.flag("crc"), vector.flag("markers"), new Streams.CountingPool());
        Streams.Delivered delivered = new Streams.Delivered();
        for (JsonNode setup : vector.json().path("setup_fpdus")) {
            assertThat(assembler.receive(ByteBuffer.wrap(Vectors.hex(setup.asText())), delivered))
                    .isTrue();
        }
        assertThat(delivered.ulpdus).hasSize(vector.json().path("setup_fpdus").size());
        if (vector.flag("markers") && !delivered.ulpdus.isEmpty()) {
            assertThat(assembler.streamOffset()).isEqualTo(vector.number("stream_offset"));
        }
        FpduBatch batch = new FpduBatch(FpduBatch.MIN_CAPACITY, 256);
        batch.reset(true, false, 0);
        Streams.add(batch, Vectors.hex(vector.expect().path("terminate_ulpdu").asText()), 18, true);
        assertThat(Streams.drain(batch, 1000))
                .isEqualTo(Vectors.hex(vector.expect().path("terminate_fpdu").asText()));
    }

    @Test
    @DisplayName("BAD-TRUNC-FIN: a stream that ends inside an FPDU delivers nothing and is not at a boundary")
    void truncatedStream() {
        Streams.Delivered delivered = new Streams.Delivered();
        Vector vector = Vectors.byId("BAD-TRUNC-FIN");
        FpduAssembler assembler = new FpduAssembler(true, false, new Streams.CountingPool());
        assertThat(assembler.receive(ByteBuffer.wrap(vector.octets()), delivered))
                .isTrue();
        assertThat(delivered.ulpdus).isEmpty();
        assertThat(assembler.atBoundary()).isFalse();
    }

    @Test
    @DisplayName("the other malformed streams have valid framing: the layers above detect them")
    void otherStreams() {
        for (String id : List.of("BAD-AFTER-TERM", "BAD-TERM-QN0")) {
            FpduAssembler assembler = new FpduAssembler(true, false, new Streams.CountingPool());
            ByteBuffer in = ByteBuffer.wrap(Vectors.byId(id).octets());
            assertThat(assembler.receive(in, new Streams.Delivered())).isTrue();
            assertThat(assembler.atBoundary()).isTrue();
        }
    }

    private static List<byte[]> ulpdus(Vector vector) {
        List<byte[]> ulpdus = new ArrayList<>();
        vector.json()
                .path("segments")
                .forEach(segment -> ulpdus.add(Vectors.hex(segment.path("ulpdu").asText())));
        return ulpdus;
    }

    private static FpduAssembler receive(Vector vector, byte[] octets, int piece, UlpduSink sink) {
        FpduAssembler assembler = new FpduAssembler(
                vector.flag("crc"), vector.flag("markers"), new Streams.CountingPool(), vector.number("stream_offset"));
        for (int at = 0; at < octets.length; ) {
            int length = Math.min(piece, octets.length - at);
            assembler.receive(ByteBuffer.wrap(octets.clone(), at, length), sink);
            at += length;
        }
        return assembler;
    }
}
