package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of vectors.json and datagram.json in artificial connections: each field is right. */
class VectorsTest {
    private record Vector(JsonNode json) {
        byte[] octets() {
            return Octets.hex(json.path("hex").asText());
        }

        boolean flag(String name) {
            return json.path(name).asBoolean();
        }

        @Override
        public String toString() {
            return json.path("id").asText();
        }
    }

    private static Stream<Vector> vectors(String file, String kind) {
        try (InputStream in = VectorsTest.class.getResourceAsStream("/dev/jwarp/vectors/" + file)) {
            JsonNode all = new ObjectMapper().readTree(in).path("vectors");
            return StreamSupport.stream(all.spliterator(), false)
                    .filter(v -> kind.isEmpty() || v.path("kind").asText().equals(kind))
                    .map(Vector::new)
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static Stream<Vector> startFrames() {
        return vectors("vectors.json", "mpa");
    }

    @ParameterizedTest
    @MethodSource("startFrames")
    @DisplayName("startup frames have the fields of the vector")
    void startupFramesHaveFieldsOfVector(Vector vector) {
        JsonNode fields = vector.json.path("fields");
        boolean request = fields.path("key").asText().equals("req");
        Packets packets = Packets.open();
        if (!request) {
            packets.send(true, StartFrame.request().bytes());
        }
        List<Item> items = packets.send(request, vector.octets()).decode();

        Item.Start start = (Item.Start) items.stream()
                .filter(i -> i instanceof Item.Start s && s.request() == request)
                .findFirst()
                .orElseThrow();
        StartFrame frame = start.frame();
        assertThat(frame.has(StartFrame.MARKERS)).isEqualTo(fields.path("M").asInt() == 1);
        assertThat(frame.has(StartFrame.CRC)).isEqualTo(fields.path("C").asInt() == 1);
        assertThat(frame.has(StartFrame.REJECT)).isEqualTo(fields.path("R").asInt() == 1);
        assertThat(frame.has(StartFrame.ENHANCED)).isEqualTo(fields.path("S").asInt() == 1);
        assertThat(frame.revision()).isEqualTo(fields.path("rev").asInt());
        assertThat(Octets.hex(frame.privateData())).isEqualTo(fields.path("pd").asText());
        JsonNode two = fields.path("v2");
        if (!two.isMissingNode()) {
            assertThat(Objects.requireNonNull(frame.depths()).ird())
                    .isEqualTo(two.path("ird").asInt());
            assertThat(frame.depths().ord()).isEqualTo(two.path("ord").asInt());
            assertThat(frame.depths().peerToPeer()).isEqualTo(two.path("A").asInt() == 1);
        }
    }

    static Stream<Vector> streams() {
        return vectors("vectors.json", "fpdu");
    }

    @ParameterizedTest
    @MethodSource("streams")
    @DisplayName("FPDUs have the fields of the vector")
    void fpdusHaveFieldsOfVector(Vector vector) {
        JsonNode segments = vector.json.path("segments");
        List<Item.Framed> fpdus = decodeAtOffset(vector);

        assertThat(fpdus).hasSize(segments.size());
        for (int i = 0; i < fpdus.size(); i++) {
            Item.Framed fpdu = fpdus.get(i);
            JsonNode segment = segments.get(i);
            assertThat(Octets.hex(fpdu.fpdu().ulpdu()))
                    .isEqualTo(segment.path("ulpdu").asText());
            assertThat(fpdu.crc()).isEqualTo(vector.flag("crc") ? Crc.OK : Crc.OFF);
            compare(segment.path("fields"), fpdu);
        }
    }

    private static List<Item.Framed> decodeAtOffset(Vector vector) {
        int offset = vector.json.path("stream_offset").asInt();
        StartFrame request = StartFrame.request();
        StartFrame reply = StartFrame.reply();
        if (vector.flag("markers")) {
            reply.with(StartFrame.MARKERS);
        }
        if (!vector.flag("crc")) {
            request.without(StartFrame.CRC);
            reply.without(StartFrame.CRC);
        }
        Talked talked = new Talked(request, reply);
        Packets packets = Packets.open().send(true, request.bytes()).send(false, reply.bytes());
        int fill = 0;
        // Up to the offset an FPDU of the right length: a Write that is no part of the vector.
        if (offset > 0) {
            byte[] filler = filler(talked, vector.flag("markers"), offset);
            packets.send(true, filler);
            fill = Packets.fpdus(packets.decode()).size();
        }
        List<Item.Framed> all =
                Packets.fpdus(packets.send(true, vector.octets()).decode());
        return all.subList(fill, all.size());
    }

    private static byte[] filler(Talked talked, boolean markers, int offset) {
        for (int payload = 0; payload <= offset; payload++) {
            byte[] ulpdu = Segment.write(1, 2, new byte[payload]).bytes();
            byte[] octets =
                    new dev.jwarp.conformance.wire.Framer(markers, talked.request.has(StartFrame.CRC)).frame(ulpdu);
            if (octets.length == offset) {
                return octets;
            }
        }
        throw new IllegalStateException("no FPDU has " + offset + " bytes");
    }

    private static void compare(JsonNode fields, Item.Framed fpdu) {
        Segment segment = Objects.requireNonNull(fpdu.segment());
        com.fasterxml.jackson.databind.node.ObjectNode json = new JsonLines(false).object(fpdu);
        Map<String, Object> wanted = new java.util.LinkedHashMap<>();
        Map<String, Object> seen = new java.util.LinkedHashMap<>();
        put(fields, "T", segment.tagged() ? 1 : 0, wanted, seen);
        put(fields, "L", segment.last() ? 1 : 0, wanted, seen);
        put(fields, "ddp_rsvd", segment.ddpReserved(), wanted, seen);
        put(fields, "DV", segment.ddpVersion(), wanted, seen);
        put(fields, "RV", segment.rdmapVersion(), wanted, seen);
        put(fields, "rdmap_rsvd", segment.rdmapReserved(), wanted, seen);
        put(fields, "op", segment.opcodeNumber(), wanted, seen);
        if (segment.tagged()) {
            put(fields, "stag", json.path("stag").asLong(), wanted, seen);
            put(fields, "to", json.path("to").bigIntegerValue(), wanted, seen);
        } else {
            put(fields, "inv", json.path("invalidate_stag").asLong(), wanted, seen);
            put(fields, "qn", json.path("qn").asLong(), wanted, seen);
            put(fields, "msn", json.path("msn").asLong(), wanted, seen);
            put(fields, "mo", json.path("mo").asLong(), wanted, seen);
        }
        assertThat(seen).isEqualTo(wanted);
        assertThat(Octets.hex(segment.payload()))
                .isEqualTo(fields.path("payload").asText());
        JsonNode read = fields.path("read");
        if (!read.isMissingNode()) {
            assertThat(json.path("read").path("sink_stag").bigIntegerValue())
                    .isEqualTo(read.path("sink_stag").bigIntegerValue());
            assertThat(json.path("read").path("sink_to").bigIntegerValue())
                    .isEqualTo(read.path("sink_to").bigIntegerValue());
            assertThat(json.path("read").path("size").asLong())
                    .isEqualTo(read.path("size").asLong());
            assertThat(json.path("read").path("source_stag").asLong())
                    .isEqualTo(read.path("src_stag").asLong());
            assertThat(json.path("read").path("source_to").bigIntegerValue())
                    .isEqualTo(read.path("src_to").bigIntegerValue());
        }
        JsonNode atomic = fields.path("atomic");
        if (!atomic.isMissingNode()) {
            assertThat(json.path("atomic").path("operation").asInt())
                    .isEqualTo(atomic.path("aop").asInt());
            assertThat(json.path("atomic").path("identifier").asLong())
                    .isEqualTo(atomic.path("rid").asLong());
            assertThat(json.path("atomic").path("data").bigIntegerValue())
                    .isEqualTo(atomic.path("data").bigIntegerValue());
            assertThat(json.path("atomic").path("compare_mask").bigIntegerValue())
                    .isEqualTo(atomic.path("cmpmask").bigIntegerValue());
        }
        JsonNode term = fields.path("term");
        if (!term.isMissingNode()
                && !term.path("layer").isMissingNode()
                && !json.path("terminate").path("siw_order").asBoolean()) {
            assertThat(json.path("terminate").path("layer").asInt())
                    .isEqualTo(term.path("layer").asInt());
            assertThat(json.path("terminate").path("error_type").asInt())
                    .isEqualTo(term.path("etype").asInt());
            assertThat(json.path("terminate").path("error_code").asInt())
                    .isEqualTo(term.path("code").asInt());
            if (!term.path("ddp").isMissingNode()) {
                assertThat(json.path("terminate").path("ddp_header").asText())
                        .isEqualTo(term.path("ddp").asText());
            }
        }
    }

    private static void put(
            JsonNode fields, String name, Object value, Map<String, Object> wanted, Map<String, Object> seen) {
        wanted.put(name, fields.path(name).bigIntegerValue().toString());
        seen.put(name, value.toString());
    }

    static Stream<Vector> datagrams() {
        return vectors("datagram.json", "").filter(v -> v.json.has("fields"));
    }

    @ParameterizedTest
    @MethodSource("datagrams")
    @DisplayName("datagrams have the fields of the vector and nothing is wrong with them")
    void datagramsHaveFieldsOfVector(Vector vector) {
        List<Item> items = Packets.decode(List.of(Packets.frame(1, Packets.udp(9999, vector.octets()))));

        assertThat(items).hasSize(1);
        Item.Datagram datagram = (Item.Datagram) items.get(0);
        Datagram d = datagram.fields();
        JsonNode fields = vector.json.path("fields");
        assertThat(datagram.findings()).as(vector.toString()).isEmpty();
        assertThat(datagram.crc()).isEqualTo(Crc.OK);
        assertThat(d.version()).isEqualTo(fields.path("version").asInt());
        assertThat((int) d.get(0, 1) & 0xF).isEqualTo(fields.path("kind").asInt());
        assertThat(d.to()).isEqualTo(fields.path("destination_qpn").asInt());
        assertThat(d.from()).isEqualTo(fields.path("source_qpn").asInt());
        assertThat(letters(d.flagLetters()))
                .isEqualTo(letters(fields.path("flags").asText()));
        assertThat(d.key()).isEqualTo(fields.path("key").asLong());
        assertThat(d.id()).isEqualTo(fields.path("message_id").asLong());
        JsonNode ddp = fields.path("ddp");
        if (!ddp.isMissingNode()) {
            Segment segment = Objects.requireNonNull(d.ddp());
            assertThat(segment.opcodeNumber()).isEqualTo(ddp.path("opcode").asInt());
            assertThat(segment.last()).isEqualTo(ddp.path("L").asInt() == 1);
            assertThat(segment.msn()).isEqualTo(ddp.path("msn").asLong());
            assertThat(segment.mo()).isEqualTo(ddp.path("mo").asLong());
            assertThat(segment.stag()).isEqualTo(ddp.path("stag").asLong());
            assertThat(segment.to()).isEqualTo(ddp.path("to").bigIntegerValue().longValue());
            if (fields.has("payload")) {
                assertThat(Octets.hex(segment.payload()))
                        .isEqualTo(fields.path("payload").asText());
            }
            assertThat(d.pad()).isEqualTo(fields.path("pad").asText().length() / 2);
        }
    }

    private static String letters(String flags) {
        char[] letters = flags.toCharArray();
        Arrays.sort(letters);
        return new String(letters);
    }

    @Test
    @DisplayName("datagrams that a kernel has joined are divided by the length of the first one")
    void datagramsThatKernelShowsAsOne() {
        for (Vector vector : datagrams().toList()) {
            byte[] one = vector.octets();
            byte[] three = Packets.join(one, one, one);

            List<Item> items = Packets.decode(List.of(Packets.frame(1, Packets.udp(9999, three))));

            assertThat(items).as(vector.toString()).hasSize(3).allMatch(i -> ((Item.Datagram) i).crc() == Crc.OK);
        }
    }

    static Stream<Vector> malformedDatagrams() {
        return vectors("datagram.json", "malformed").filter(VectorsTest::isMalformedForAll);
    }

    /** As in the test of the dissector for Wireshark: checks 1-5 and 11-14 need nothing but the datagram. */
    private static boolean isMalformedForAll(Vector vector) {
        int check = vector.json.path("check").asInt();
        return (check <= 5 || (check >= 11 && check <= 14))
                && !vector.toString().equals("BAD-VERSION-LIST")
                && vector.octets().length > 0;
    }

    @ParameterizedTest
    @MethodSource("malformedDatagrams")
    @DisplayName("datagrams that are malformed for every receiver are reported")
    void whatIsMalformedForEverybodyIsSaid(Vector vector) {
        byte[] packet = Packets.udp(7174, vector.octets());
        if (vector.json.has("source_port")) {
            packet[20] = 0;
            packet[21] = 0;
        }
        if (vector.json.has("source_address")) {
            String[] parts = vector.json.path("source_address").asText().split("\\.", -1);
            for (int i = 0; i < 4; i++) {
                packet[12 + i] = (byte) Integer.parseInt(parts[i]);
            }
        }
        List<Item> items = Packets.decode(List.of(Packets.frame(1, packet)), 7174);

        List<String> said = new ArrayList<>(Packets.violations(items));
        said.addAll(Packets.notes(items));
        assertThat(said).as(vector.toString()).isNotEmpty();
    }
}
