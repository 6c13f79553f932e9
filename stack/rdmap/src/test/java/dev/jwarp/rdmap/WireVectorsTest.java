package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.AtomicResponseHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.message.TerminateHeader;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.message.TerminateMessage.Layout;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Every ULPDU of the vectors decodes to its fields, and the fields encode to its bytes")
class WireVectorsTest {
    /** One segment of a vector. */
    record Segment(Vector vector, JsonNode json) {
        byte[] octets() {
            return Vectors.hex(json.path("ulpdu").asText());
        }

        JsonNode field(String name) {
            return json.path("fields").path(name);
        }

        byte[] payload() {
            return Vectors.hex(field("payload").asText());
        }

        boolean tagged() {
            return field("T").asInt() == 1;
        }

        @Override
        public String toString() {
            return vector.id() + " " + json.path("name").asText();
        }
    }

    /** Valid on receipt, but never sent by this stack: reserved bits, siw's Terminates. */
    private static final Set<String> RECEIVED_ONLY =
            Set.of("OP-SEND-RSVD", "TERM-SIW-CRC", "TERM-SIW-STAG", "TERM-SIW-OPCODE");

    static Stream<Segment> segments() {
        List<Segment> all = new ArrayList<>();
        for (Vector vector : Vectors.ofKind("fpdu")) {
            vector.json().path("segments").forEach(segment -> all.add(new Segment(vector, segment)));
        }
        assertThat(all).hasSizeGreaterThan(69);
        return all.stream();
    }

    static Stream<Segment> sent() {
        return segments().filter(s -> !RECEIVED_ONLY.contains(s.vector.id()));
    }

    static Stream<Segment> ofOpcode(RdmapOpcode opcode) {
        return segments().filter(s -> s.field("op").asInt() == opcode.code());
    }

    static Stream<Segment> readRequests() {
        return ofOpcode(RdmapOpcode.RDMA_READ_REQUEST);
    }

    static Stream<Segment> atomicRequests() {
        return ofOpcode(RdmapOpcode.ATOMIC_REQUEST);
    }

    static Stream<Segment> atomicResponses() {
        return ofOpcode(RdmapOpcode.ATOMIC_RESPONSE);
    }

    static Stream<Segment> terminates() {
        return ofOpcode(RdmapOpcode.TERMINATE).filter(s -> !RECEIVED_ONLY.contains(s.vector.id()));
    }

    @ParameterizedTest
    @MethodSource("segments")
    @DisplayName("control octets and DDP header decode (RFC 5040 §4.1, RFC 5041 §4)")
    void decodes(Segment vector) {
        byte[] octets = vector.octets();
        DdpSegment segment = new DdpSegment();
        assertThat(segment.parse(ByteBuffer.wrap(octets), 0, octets.length)).isNull();

        assertThat(segment.tagged()).isEqualTo(vector.tagged());
        assertThat(segment.last()).isEqualTo(vector.field("L").asInt() == 1);
        assertThat(RdmapOpcode.versionMatches(segment.ulpControl())).isTrue();
        RdmapOpcode opcode = RdmapOpcode.of(segment.ulpControl());
        assertThat(opcode).isNotNull();
        assertThat(opcode.code()).isEqualTo(vector.field("op").asInt());
        assertThat(opcode.tagged()).isEqualTo(vector.tagged());
        if (vector.tagged()) {
            assertThat(segment.stag()).isEqualTo((int) vector.field("stag").asLong());
            assertThat(segment.taggedOffset()).isEqualTo(vector.field("to").asLong());
        } else {
            assertThat(segment.ulpWord()).isEqualTo((int) vector.field("inv").asLong());
            assertThat(segment.queueNumber()).isEqualTo(opcode.queueNumber());
            assertThat(segment.messageSequenceNumber())
                    .isEqualTo((int) vector.field("msn").asLong());
            assertThat(segment.messageOffset()).isEqualTo(vector.field("mo").asLong());
        }
        assertThat(segment.payloadLength()).isEqualTo(vector.payload().length);
    }

    @Tag("DDP-4.1-3")
    @ParameterizedTest
    @MethodSource("sent")
    @DisplayName("the segment writer writes exactly these bytes")
    void encodes(Segment vector) {
        FakeLowerLayer lower = new FakeLowerLayer();
        lower.mulpdu = 64_768;
        RdmapOpcode opcode = RdmapOpcode.of(vector.field("op").asInt());
        boolean last = vector.field("L").asInt() == 1;
        ByteBuffer payload = ByteBuffer.wrap(vector.payload());
        if (vector.tagged()) {
            UlpduSegments.tagged(
                    lower,
                    opcode,
                    last,
                    (int) vector.field("stag").asLong(),
                    vector.field("to").asLong(),
                    payload.capacity());
        } else {
            int at = UlpduSegments.untagged(
                    lower, opcode, last, (int) vector.field("msn").asLong(), payload.capacity());
            UntaggedHeader.writeRest(
                    lower.buffer(),
                    at,
                    (int) vector.field("inv").asLong(),
                    vector.field("mo").asLong());
        }
        if (payload.capacity() > 0) {
            lower.payload(payload, 0, payload.capacity(), false);
        }
        lower.end();
        Station station = new Station();
        lower.transmit(station.stream, 0);

        assertThat(lower.wire.remove()).isEqualTo(vector.octets());
    }

    @ParameterizedTest
    @MethodSource("readRequests")
    @DisplayName("a Read Request header (RFC 5040 §4.4)")
    void readRequest(Segment vector) {
        JsonNode fields = vector.field("read");
        ReadRequestHeader header = new ReadRequestHeader();
        assertThat(header.wrap(ByteBuffer.wrap(vector.octets()), UntaggedHeader.LENGTH, vector.payload().length))
                .isTrue();
        assertThat(header.sinkSTag()).isEqualTo(fields.path("sink_stag").asInt());
        assertThat(header.sinkOffset()).isEqualTo(fields.path("sink_to").asLong());
        assertThat(header.size()).isEqualTo(fields.path("size").asLong());
        assertThat(header.sourceSTag()).isEqualTo(fields.path("src_stag").asInt());
        assertThat(header.sourceOffset()).isEqualTo(fields.path("src_to").asLong());

        ByteBuffer out = ByteBuffer.allocate(ReadRequestHeader.LENGTH);
        header.wrap(out, 0, out.capacity());
        header.sink(fields.path("sink_stag").asInt(), fields.path("sink_to").asLong())
                .size(fields.path("size").asLong())
                .source(fields.path("src_stag").asInt(), fields.path("src_to").asLong());
        assertThat(out.array()).isEqualTo(vector.payload());
    }

    @ParameterizedTest
    @MethodSource("atomicRequests")
    @DisplayName("an Atomic Request header (RFC 7306 §5.2.1)")
    void atomicRequest(Segment vector) {
        JsonNode fields = vector.field("atomic");
        AtomicRequestHeader header = new AtomicRequestHeader();
        assertThat(header.wrap(ByteBuffer.wrap(vector.octets()), UntaggedHeader.LENGTH, vector.payload().length))
                .isTrue();
        assertThat(header.operation()).isEqualTo(fields.path("aop").asInt());
        assertThat(header.identifier()).isEqualTo(fields.path("rid").asInt());
        assertThat(header.remoteSTag()).isEqualTo(fields.path("stag").asInt());
        assertThat(header.remoteOffset()).isEqualTo(fields.path("to").asLong());
        assertThat(header.data()).isEqualTo(unsigned(fields, "data"));
        assertThat(header.mask()).isEqualTo(unsigned(fields, "mask"));
        assertThat(header.compare()).isEqualTo(unsigned(fields, "cmp"));
        assertThat(header.compareMask()).isEqualTo(unsigned(fields, "cmpmask"));

        ByteBuffer out = ByteBuffer.allocate(AtomicRequestHeader.LENGTH);
        header.wrap(out, 0, out.capacity());
        header.operation(fields.path("aop").asInt(), fields.path("rid").asInt())
                .remote(fields.path("stag").asInt(), fields.path("to").asLong())
                .data(unsigned(fields, "data"), unsigned(fields, "mask"))
                .compare(unsigned(fields, "cmp"), unsigned(fields, "cmpmask"));
        assertThat(out.array()).isEqualTo(vector.payload());
    }

    @ParameterizedTest
    @MethodSource("atomicResponses")
    @DisplayName("an Atomic Response header (RFC 7306 §5.2.2)")
    void atomicResponse(Segment vector) {
        JsonNode fields = vector.field("atomic");
        AtomicResponseHeader header = new AtomicResponseHeader();
        assertThat(header.wrap(ByteBuffer.wrap(vector.octets()), UntaggedHeader.LENGTH, vector.payload().length))
                .isTrue();
        assertThat(header.identifier()).isEqualTo(fields.path("rid").asInt());
        assertThat(header.value()).isEqualTo(fields.path("orig").asLong());

        ByteBuffer out = ByteBuffer.allocate(AtomicResponseHeader.LENGTH);
        header.wrap(out, 0, out.capacity());
        header.response(fields.path("rid").asInt(), fields.path("orig").asLong());
        assertThat(out.array()).isEqualTo(vector.payload());
    }

    @ParameterizedTest
    @MethodSource("terminates")
    @DisplayName("a Terminate header (RFC 5040 §4.8)")
    void terminate(Segment vector) {
        JsonNode fields = vector.field("term");
        byte[] ddp = Vectors.hex(fields.path("ddp").asText());
        byte[] request = Vectors.hex(fields.path("rdmap").asText());
        // The values of MPA's start-up codes are unambiguous only during start-up.
        TerminateMessage message = TerminateHeader.read(
                ByteBuffer.wrap(vector.octets()), UntaggedHeader.LENGTH, vector.payload().length, true);
        assertThat(message.layout()).isEqualTo(Layout.RFC);
        assertThat(message.layer()).isEqualTo(fields.path("layer").asInt());
        assertThat(message.errorType()).isEqualTo(fields.path("etype").asInt());
        assertThat(message.errorCode()).isEqualTo(fields.path("code").asInt());
        assertThat(message.segmentLength()).isEqualTo(fields.path("seglen").asInt(TerminateMessage.NO_LENGTH));
        assertThat(message.ddpHeader()).isEqualTo(ByteBuffer.wrap(ddp));
        assertThat(message.readRequest()).isEqualTo(ByteBuffer.wrap(request));
        assertThat(message.octets()).isEqualTo(ByteBuffer.wrap(vector.payload()));

        TerminateCode code = message.code();
        assertThat(code).isNotNull();
        ByteBuffer out = ByteBuffer.allocate(TerminateHeader.MAXIMUM_LENGTH);
        int length = ddp.length == 0
                ? TerminateHeader.write(out, 0, code)
                : TerminateHeader.write(
                        out,
                        0,
                        code,
                        ByteBuffer.wrap(ddp),
                        message.segmentLength(),
                        request.length == 0 ? null : ByteBuffer.wrap(request));
        assertThat(out.slice(0, length)).isEqualTo(ByteBuffer.wrap(vector.payload()));
        assertThat(ddp.length).isIn(0, TaggedHeader.LENGTH, UntaggedHeader.LENGTH);
    }

    private static long unsigned(JsonNode fields, String name) {
        return fields.path(name).bigIntegerValue().longValue();
    }
}
