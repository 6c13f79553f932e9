package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.conformance.wire.Segment;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The tester's own codecs against the vectors of datagram-iWARP")
class DatagramVectorsTest {
    /** Rules that need only the datagram itself. */
    private static final Set<Integer> OF_FORM = Set.of(1, 2, 4, 5, 11, 12, 13, 14);
    /** Malformed only by their source or by earlier datagrams. */
    private static final Set<String> NOT_IN_THE_OCTETS =
            Set.of("BAD-SOURCE-PORT", "BAD-SOURCE-MULTICAST", "BAD-SOURCE-BROADCAST", "BAD-READ-24", "BAD-READ-32");

    static List<Vector> good() {
        return Vectors.datagrams(false);
    }

    static Stream<Vector> malformed() {
        return Vectors.datagrams(true).stream()
                .filter(v -> OF_FORM.contains((int) v.number("check")))
                .filter(v -> !NOT_IN_THE_OCTETS.contains(v.id()));
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("a good datagram has the right fields, and is the same after parsing and building")
    void good(Vector vector) {
        byte[] octets = vector.octets();
        JsonNode f = vector.json().path("fields");
        Datagram d = Datagram.parse(octets);

        assertThat(d.bytes()).isEqualTo(octets);
        assertThat(Datagram.crcGood(octets)).isTrue();
        assertThat(d.version()).isEqualTo(f.path("version").asInt());
        assertThat(d.kind().words().replace('-', '_').replace(' ', '_')).isEqualTo(vector.text("kind"));
        assertThat(d.to()).isEqualTo(f.path("destination_qpn").asInt());
        assertThat(d.from()).isEqualTo(f.path("source_qpn").asInt());
        assertThat(d.key()).isEqualTo(f.path("key").asLong());
        assertThat(d.id()).isEqualTo(f.path("message_id").asLong());
        assertThat(d.flagLetters().chars().sorted().toArray())
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
    void foundGood(Vector vector) {
        assertThatCode(() -> Form.check(vector.octets())).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("malformed")
    @DisplayName("a malformed datagram would be a deviation of a device")
    void foundMalformed(Vector vector) {
        assertThatThrownBy(() -> Form.check(vector.octets())).isInstanceOf(Deviation.class);
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
        Message message = new Message(shim, Message.SEND, 0, 0, payload).cut(256);
        for (int i = 0; i < 3; i++) {
            assertThat(message.datagram(i).bytes()).isEqualTo(hex("SEND-3-" + i));
        }
        byte[] hello = "hello".getBytes(StandardCharsets.US_ASCII);
        Message padded = new Message(shim.id(0xD), Message.SEND, 0, 0, hello).padded(8);
        assertThat(padded.one().bytes()).isEqualTo(hex("SEND-PADDED"));
    }

    @Test
    @DisplayName("a cookie replaces pad in a RESOLVE, and makes other questions longer")
    void cookies() {
        byte[] cookie = Datagram.parse(hex("RESOLVE-COOKIE")).slice(24, 40);
        assertThat(Datagram.parse(hex("RESOLVE")).cookie(cookie).bytes()).isEqualTo(hex("RESOLVE-COOKIE"));
        assertThat(Datagram.parse(hex("READ-REQUEST")).cookie(cookie).bytes()).isEqualTo(hex("READ-REQUEST-COOKIE"));
        assertThat(Datagram.parse(hex("RD-OPEN")).cookie(cookie).bytes()).isEqualTo(hex("RD-OPEN-COOKIE"));
        Datagram replaced = Datagram.parse(hex("RD-OPEN")).cookie(new byte[16]).cookie(cookie);
        assertThat(replaced.bytes()).isEqualTo(hex("RD-OPEN-COOKIE"));
    }

    private static byte[] hex(String id) {
        return good().stream()
                .filter(v -> v.id().equals(id))
                .findFirst()
                .orElseThrow()
                .octets();
    }
}
