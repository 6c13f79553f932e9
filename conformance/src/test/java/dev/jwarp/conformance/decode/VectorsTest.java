package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.conformance.wire.StartFrame;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The vectors of vectors.json and datagram.json in artificial connections: each field is right. */
class VectorsTest {
    static final List<Vector> START_FRAMES = Vectors.ofKind("mpa");
    static final List<Vector> STREAMS = Vectors.ofKind("fpdu");

    @ParameterizedTest
    @FieldSource("START_FRAMES")
    @DisplayName("startup frames are those of the vector")
    void startupFramesAreThoseOfVector(Vector vector) {
        boolean request = vector.json().path("fields").path("key").asText().equals("req");
        Packets packets = Packets.open();
        if (!request) {
            packets.send(true, StartFrame.request().bytes());
        }
        List<Item> items = packets.send(request, vector.octets()).decode();

        assertThat(items)
                .filteredOn(item -> item instanceof Item.Start start && start.request() == request)
                .singleElement()
                .satisfies(item -> {
                    Item.Start start = (Item.Start) item;
                    assertThat(start.octets()).isEqualTo(vector.octets());
                    assertThat(start.frame().bytes()).isEqualTo(vector.octets());
                });
    }

    @ParameterizedTest
    @FieldSource("STREAMS")
    @DisplayName("FPDUs have the fields of the vector")
    void fpdusHaveFieldsOfVector(Vector vector) {
        JsonNode segments = vector.json().path("segments");
        List<Item.Framed> fpdus = decodeAtOffset(vector);

        assertThat(fpdus).hasSize(segments.size());
        for (int i = 0; i < fpdus.size(); i++) {
            Item.Framed fpdu = fpdus.get(i);
            JsonNode segment = segments.get(i);
            assertThat(Octets.hex(fpdu.fpdu().ulpdu()))
                    .isEqualTo(segment.path("ulpdu").asText());
            assertThat(fpdu.crc()).isEqualTo(vector.flag("crc") ? Crc.OK : Crc.OFF);
            compare(segment.path("fields"), new JsonLines(false).object(fpdu));
        }
    }

    private static List<Item.Framed> decodeAtOffset(Vector vector) {
        int offset = (int) vector.number("stream_offset");
        Packets packets = Talked.of(vector.flag("markers"), vector.flag("crc")).opened();
        // Up to the offset an FPDU of the right length: a Write that is no part of the vector.
        if (offset > 0) {
            packets.send(true, filler(vector, offset));
        }
        List<Item.Framed> all =
                Packets.fpdus(packets.send(true, vector.octets()).decode());
        return all.subList(offset > 0 ? 1 : 0, all.size());
    }

    private static byte[] filler(Vector vector, int offset) {
        return IntStream.rangeClosed(0, offset)
                .mapToObj(payload -> Segment.write(1, 2, new byte[payload]).bytes())
                .map(ulpdu -> new Framer(vector.flag("markers"), vector.flag("crc")).frame(ulpdu))
                .filter(fpdu -> fpdu.length == offset)
                .findFirst()
                .orElseThrow();
    }

    /** The bytes of the ULPDU are right already: here the fields are, those with a meaning, by their names in JSON. */
    private static void compare(JsonNode fields, JsonNode json) {
        same(json, fields, "tagged T, last L, ddp_version DV, rdmap_version RV, opcode_number op");
        same(
                json,
                fields,
                fields.path("T").asInt() == 1 ? "stag stag, to to" : "invalidate_stag inv, qn qn, msn msn, mo mo");
        assertThat(json.path("length").asInt())
                .isEqualTo(fields.path("payload").asText().length() / 2);
        if (fields.has("read")) {
            same(
                    json.path("read"),
                    fields.path("read"),
                    "sink_stag sink_stag, sink_to sink_to, size size, source_stag src_stag, source_to src_to");
        }
        if (fields.has("atomic")) {
            same(
                    json.path("atomic"),
                    fields.path("atomic"),
                    "operation aop, identifier rid, data data, compare_mask cmpmask");
        }
        JsonNode term = fields.path("term");
        JsonNode terminate = json.path("terminate");
        if (term.has("layer") && !terminate.path("siw_order").asBoolean()) {
            same(
                    terminate,
                    term,
                    "layer layer, error_type etype, error_code code" + (term.has("ddp") ? ", ddp_header ddp" : ""));
        }
    }

    /** Each name in the output, and its name in the vectors, where a flag is a number. */
    private static void same(JsonNode seen, JsonNode wanted, String pairs) {
        for (String pair : pairs.split(", ", -1)) {
            String[] names = pair.split(" ", -1);
            JsonNode value = seen.path(names[0]);
            assertThat(value.isBoolean() ? value.asBoolean() ? "1" : "0" : value.asText())
                    .as(names[0])
                    .isEqualTo(wanted.path(names[1]).asText());
        }
    }

    static Stream<Vector> datagrams() {
        return Vectors.datagrams(false).stream().filter(v -> v.json().has("fields"));
    }

    @ParameterizedTest
    @MethodSource("datagrams")
    @DisplayName("datagrams have the fields of the vector and nothing is wrong with them")
    void datagramsHaveFieldsOfVector(Vector vector) {
        List<Item> items = Packets.decode(List.of(Packets.frame(1, Packets.udp(9999, vector.octets()))));

        assertThat(items).hasSize(1);
        Item.Datagram datagram = (Item.Datagram) items.get(0);
        assertThat(datagram.findings()).as(vector.id()).isEmpty();
        assertThat(datagram.crc()).isEqualTo(Crc.OK);
        Datagram d = datagram.fields();
        JsonNode json = new JsonLines(false).object(datagram);
        JsonNode fields = vector.json().path("fields");
        same(json, fields, "version version, target_qpn destination_qpn, source_qpn source_qpn, key key");
        same(json, fields, "message_id message_id");
        assertThat(d.get(0, 1) & 0xF).isEqualTo(fields.path("kind").asLong());
        assertThat(d.flagLetters().chars().sorted().toArray())
                .isEqualTo(fields.path("flags").asText().chars().sorted().toArray());
        JsonNode ddp = fields.path("ddp");
        if (!ddp.isMissingNode()) {
            same(
                    json,
                    ddp,
                    "opcode_number opcode, last L, " + (ddp.has("stag") ? "stag stag, to to" : "msn msn, mo mo"));
            if (fields.has("payload")) {
                byte[] payload = Objects.requireNonNull(d.ddp()).payload();
                assertThat(Octets.hex(payload)).isEqualTo(fields.path("payload").asText());
            }
            assertThat(d.pad()).isEqualTo(fields.path("pad").asText().length() / 2);
        }
    }

    @Test
    @DisplayName("datagrams that a kernel has joined are divided by the length of the first one")
    void datagramsThatKernelShowsAsOne() {
        for (Vector vector : datagrams().toList()) {
            byte[] one = vector.octets();
            byte[] three = Packets.join(one, one, one);

            List<Item> items = Packets.decode(List.of(Packets.frame(1, Packets.udp(9999, three))));

            assertThat(items).as(vector.id()).hasSize(3).allMatch(i -> ((Item.Datagram) i).crc() == Crc.OK);
        }
    }

    static Stream<Vector> malformedDatagrams() {
        return Vectors.datagrams(true).stream().filter(VectorsTest::isMalformedForAll);
    }

    /** As in the test of the dissector for Wireshark: checks 1-5 and 11-14 need nothing but the datagram. */
    private static boolean isMalformedForAll(Vector vector) {
        int check = (int) vector.number("check");
        return (check <= 5 || (check >= 11 && check <= 14))
                && !vector.id().equals("BAD-VERSION-LIST")
                && vector.octets().length > 0;
    }

    @ParameterizedTest
    @MethodSource("malformedDatagrams")
    @DisplayName("datagrams that are malformed for every receiver are reported")
    void whatIsMalformedForEverybodyIsSaid(Vector vector) {
        byte[] packet = Packets.udp(7174, vector.octets());
        if (vector.json().has("source_port")) {
            packet[20] = 0;
            packet[21] = 0;
        }
        if (vector.json().has("source_address")) {
            String[] parts = vector.text("source_address").split("\\.", -1);
            for (int i = 0; i < 4; i++) {
                packet[12 + i] = (byte) Integer.parseInt(parts[i]);
            }
        }
        List<Item> items = Packets.decode(List.of(Packets.frame(1, packet)), 7174);

        List<String> said = new ArrayList<>(Packets.violations(items));
        said.addAll(Packets.notes(items));
        assertThat(said).as(vector.id()).isNotEmpty();
    }
}
