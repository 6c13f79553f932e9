package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The tester's own codecs against the vectors of datagram-iWARP")
class DatagramVectorsTest {
    private static final String LETTERS = "RCDGAP";
    /** Rules that need only the datagram itself. */
    private static final Set<Integer> OF_FORM = Set.of(1, 2, 4, 5, 11, 12, 13, 14);
    /** Malformed only by their source or by earlier datagrams. */
    private static final Set<String> NOT_IN_THE_OCTETS =
            Set.of("BAD-SOURCE-PORT", "BAD-SOURCE-MULTICAST", "BAD-SOURCE-BROADCAST", "BAD-READ-24", "BAD-READ-32");

    private static final List<JsonNode> ALL = load();

    private static List<JsonNode> load() {
        try (InputStream in =
                DatagramVectorsTest.class.getClassLoader().getResourceAsStream("dev/jwarp/vectors/datagram.json")) {
            return StreamSupport.stream(
                            new ObjectMapper().readTree(in).path("vectors").spliterator(), false)
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<JsonNode> good() {
        return ALL.stream().filter(v -> !v.path("kind").asText().equals("malformed"));
    }

    static Stream<JsonNode> malformed() {
        return ALL.stream()
                .filter(v -> OF_FORM.contains(v.path("check").asInt()))
                .filter(v -> !NOT_IN_THE_OCTETS.contains(v.path("id").asText()));
    }

    private static byte[] octets(JsonNode vector) {
        return Octets.hex(vector.path("hex").asText());
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("a good datagram has the right fields, and is the same after parsing and building")
    void good(JsonNode vector) {
        byte[] octets = octets(vector);
        JsonNode f = vector.path("fields");
        Datagram d = Datagram.parse(octets);

        assertThat(d.bytes()).isEqualTo(octets);
        assertThat(Datagram.crcGood(octets)).isTrue();
        assertThat(d.version()).isEqualTo(f.path("version").asInt());
        assertThat(d.kind().words().replace('-', '_').replace(' ', '_'))
                .isEqualTo(vector.path("kind").asText());
        assertThat(d.to()).isEqualTo(f.path("destination_qpn").asInt());
        assertThat(d.from()).isEqualTo(f.path("source_qpn").asInt());
        assertThat(d.key()).isEqualTo(f.path("key").asLong());
        assertThat(d.id()).isEqualTo(f.path("message_id").asLong());
        StringBuilder flags = new StringBuilder();
        for (int i = 0; i < LETTERS.length(); i++) {
            flags.append(d.has(1 << i) ? LETTERS.charAt(i) : "");
        }
        assertThat(flags.chars().sorted().toArray())
                .isEqualTo(f.path("flags").asText().chars().sorted().toArray());
        if (d.is(Kind.DATA)) {
            data(d, f);
        }
    }

    private static void data(Datagram d, JsonNode f) {
        Segment s = d.segment();
        assertThat(d.length()).isEqualTo(f.path("message_length").asLong());
        assertThat(d.index()).isEqualTo(f.path("segment_index").asInt());
        assertThat(d.segmentSize()).isEqualTo(f.path("segment_size").asInt());
        assertThat(s.opcodeNumber()).isEqualTo(f.path("ddp").path("opcode").asInt());
        assertThat(s.last() ? 1 : 0).isEqualTo(f.path("ddp").path("L").asInt());
        if (f.has("payload")) {
            assertThat(Octets.hex(s.payload())).isEqualTo(f.path("payload").asText());
        }
        if (s.tagged()) {
            assertThat(s.stag()).isEqualTo(f.path("ddp").path("stag").asLong());
        } else {
            assertThat(s.msn()).isEqualTo(f.path("ddp").path("msn").asLong());
        }
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("a good datagram breaks no rule")
    void foundGood(JsonNode vector) {
        assertThatCode(() -> Form.check(octets(vector))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("malformed")
    @DisplayName("a malformed datagram would be a deviation of a device")
    void foundMalformed(JsonNode vector) {
        assertThatThrownBy(() -> Form.check(octets(vector)))
                .as(vector.path("id").asText())
                .isInstanceOf(Deviation.class);
    }

    @Test
    @DisplayName("messages are divided like the vectors")
    void cut() {
        Datagram shim =
                Datagram.of(Kind.DATA).to(0xABCD).from(0x12345).key(0x11223344).id(0xC);
        byte[] payload = new Octets()
                .add(Datagram.parse(hex("SEND-3-0")).segment().payload())
                .add(Datagram.parse(hex("SEND-3-1")).segment().payload())
                .add(Datagram.parse(hex("SEND-3-2")).segment().payload())
                .bytes();
        Message message = Message.untagged(shim, Message.SEND, payload).cut(256);
        for (int i = 0; i < 3; i++) {
            assertThat(message.datagram(i).bytes()).isEqualTo(hex("SEND-3-" + i));
        }
        Message padded = Message.untagged(
                        shim.id(0xD), Message.SEND, "hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .padded(8);
        assertThat(padded.one().bytes()).isEqualTo(hex("SEND-PADDED"));
    }

    @Test
    @DisplayName("a cookie replaces pad in a RESOLVE, and makes other questions longer")
    void cookies() {
        byte[] cookie = Datagram.parse(hex("RESOLVE-COOKIE")).slice(24, 40);
        assertThat(Datagram.parse(hex("RESOLVE")).cookie(cookie).bytes()).isEqualTo(hex("RESOLVE-COOKIE"));
        assertThat(Datagram.parse(hex("READ-REQUEST")).cookie(cookie).bytes()).isEqualTo(hex("READ-REQUEST-COOKIE"));
        assertThat(Datagram.parse(hex("RD-OPEN")).cookie(cookie).bytes()).isEqualTo(hex("RD-OPEN-COOKIE"));
        assertThat(Datagram.parse(hex("RD-OPEN"))
                        .cookie(new byte[16])
                        .cookie(cookie)
                        .bytes())
                .isEqualTo(hex("RD-OPEN-COOKIE"));
    }

    private static byte[] hex(String id) {
        return octets(ALL.stream()
                .filter(v -> v.path("id").asText().equals(id))
                .findFirst()
                .orElseThrow());
    }
}
