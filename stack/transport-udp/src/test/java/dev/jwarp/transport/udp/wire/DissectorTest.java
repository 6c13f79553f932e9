package dev.jwarp.transport.udp.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.llp.capture.PcapWriter;
import dev.jwarp.transport.udp.wire.Pdml.Packet;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** interop/wireshark/jwarp-datagram.lua, run by tshark over captures of the vectors: a second reading of every field. */
@DisplayName("The dissector for Wireshark")
class DissectorTest {
    private static final int PREFERRED_PORT = 7174;
    private static final int ANY_PORT = 9999;
    /** The headers of IP and UDP in front of a datagram. */
    private static final int DATAGRAM = 28;

    private static final Map<String, Integer> FLAGS = Map.of("R", 1, "C", 2, "D", 4, "G", 8, "A", 16, "P", 32);
    /** The fields that the dissector shows in addition to those of the vectors. */
    private static final Set<String> BESIDES = Set.of(
            "zero",
            "flags.zero",
            "flags.p",
            "flags.a",
            "flags.g",
            "flags.d",
            "flags.c",
            "flags.r",
            "segments",
            "ddp.reserved",
            "ddp.rdmap_reserved",
            "private_length",
            "ack_flags",
            "words",
            "features.ecn",
            "crc.good");

    @TempDir
    static Path folder;

    @BeforeAll
    static void needsTshark() {
        Pdml.assumeTshark();
    }

    private static List<Packet> dissect(List<Vector> vectors, int port) throws IOException, InterruptedException {
        Path file = Files.createTempFile(folder, "vectors", ".pcap");
        try (PcapWriter writer = new PcapWriter(Files.newOutputStream(file), 0)) {
            InetSocketAddress to = new InetSocketAddress("192.0.2.1", port);
            for (Vector vector : vectors) {
                writer.datagram(VectorsTest.source(vector).toSocketAddress(), to, ByteBuffer.wrap(vector.octets()), 0);
            }
        }
        List<Packet> packets = Pdml.read(file);
        assertThat(packets).hasSameSizeAs(vectors);
        return packets;
    }

    @ParameterizedTest(name = "port {0}")
    @ValueSource(ints = {PREFERRED_PORT, ANY_PORT})
    @DisplayName("shows every field of every vector, every byte in a field, and no complaint")
    void good(int port) throws Exception {
        List<Vector> vectors = Vectors.datagrams(false);
        List<Packet> packets = dissect(vectors, port);
        for (int i = 0; i < vectors.size(); i++) {
            Vector vector = vectors.get(i);
            Packet packet = packets.get(i);
            assertThat(packet.complaints()).as(vector.toString()).isEmpty();
            assertThat(packet.protocols()).as(vector.toString()).contains("dgiwarp");
            checkFields(vector, packet);
            checkOctets(vector, packet);
            assertThat(packet.protocols().contains("iwarp_ddp_rdmap"))
                    .as("%s goes to Wireshark's own dissector", vector)
                    .isEqualTo(isForWireshark(vector.json().path("fields").path("ddp")));
        }
    }

    private static boolean isForWireshark(JsonNode ddp) {
        return ddp.path("T").asInt() == 1 || ddp.path("opcode").asInt() == 1;
    }

    private static void checkFields(Vector vector, Packet packet) {
        JsonNode fields = vector.json().path("fields");
        List<String> wanted = new ArrayList<>();
        fields.properties().forEach(field -> addWanted(vector, "", field, wanted));
        List<String> shown = packet.fields().stream()
                .filter(field -> !BESIDES.contains(field.name()))
                .map(field -> field.name() + "=" + field.value())
                .toList();
        assertThat(shown).as(vector.toString()).containsExactlyInAnyOrderElementsOf(wanted);
    }

    private static void addWanted(Vector vector, String prefix, Map.Entry<String, JsonNode> field, List<String> to) {
        JsonNode value = field.getValue();
        String name = prefix + field.getKey();
        if (value.isObject()) {
            value.properties().forEach(inner -> addWanted(vector, name + ".", inner, to));
        } else if (value.isArray()) {
            value.forEach(word -> to.add(name + "=" + number(Long.parseUnsignedLong(word.asText(), 16))));
        } else if (name.equals("flags")) {
            int flags = value.asText()
                    .chars()
                    .mapToObj(Character::toString)
                    .mapToInt(FLAGS::get)
                    .sum();
            to.add(name + "=" + number(flags));
        } else if (value.isTextual()) {
            // The payload of a Read Request is shown as its fields; missing bytes are not shown.
            boolean shown = !value.asText().isEmpty()
                    && !(name.equals("payload") && vector.json().path("fields").has("read"));
            if (shown) {
                to.add(name + "=" + (name.equals("crc") ? number(Long.parseLong(value.asText(), 16)) : value.asText()));
            }
        } else {
            boolean list = name.equals("versions")
                    && vector.json().path("kind").asText().equals("VERSION_LIST");
            to.add((list ? "version_list" : name) + "=" + number(value.asLong()));
        }
    }

    private static String number(long value) {
        return Long.toHexString(value);
    }

    private static void checkOctets(Vector vector, Packet packet) {
        BitSet seen = new BitSet();
        packet.fields().forEach(field -> seen.set(field.position(), field.position() + field.size()));
        int end = DATAGRAM + vector.octets().length;
        assertThat(seen.nextClearBit(DATAGRAM)).as(vector.toString()).isEqualTo(end);
        assertThat(seen.length()).as(vector.toString()).isEqualTo(end);
    }

    @Test
    @DisplayName("complains of every datagram that is malformed for all receivers")
    void malformed() throws Exception {
        List<Vector> vectors = Vectors.datagrams(true).stream()
                .filter(DissectorTest::isMalformedForAll)
                .toList();
        List<Packet> packets = dissect(vectors, PREFERRED_PORT);
        for (int i = 0; i < vectors.size(); i++) {
            assertThat(packets.get(i).complaints())
                    .as(vectors.get(i).toString())
                    .anyMatch(complaint -> complaint.startsWith("dgiwarp.bad_"));
        }
    }

    private static boolean isMalformedForAll(Vector vector) {
        int check = vector.json().path("check").asInt();
        // An unsolicited VERSION LIST is well formed; for an empty datagram tshark shows nothing.
        return (check <= 5 || (check >= 11 && check <= 14))
                && !vector.id().equals("BAD-VERSION-LIST")
                && vector.octets().length > 0;
    }
}
