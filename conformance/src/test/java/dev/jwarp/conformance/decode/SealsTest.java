package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.decode.DatagramTalks.Seals;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.conformance.wire.Octets;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("The envelopes in a capture")
class SealsTest {
    private static final JsonNode FILE = load();
    private static final KeyRing RING = KeyRing.parse(
            "the vectors",
            StreamSupport.stream(FILE.path("receiver").path("keys").spliterator(), false)
                    .map(JsonNode::asText)
                    .collect(Collectors.joining("\n")));

    private final List<Finding> findings = new ArrayList<>();

    private static JsonNode load() {
        try (InputStream in = SealsTest.class.getClassLoader().getResourceAsStream("dev/jwarp/vectors/envelope.json")) {
            return new ObjectMapper().readTree(in);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Stream<byte[]> good() {
        return StreamSupport.stream(FILE.path("vectors").spliterator(), false)
                .filter(v -> v.path("kind").asText().equals("envelope"))
                .map(v -> Octets.hex(v.path("hex").asText()));
    }

    private static byte[] withCrc(byte[] octets) {
        byte[] bare = Arrays.copyOf(octets, octets.length - Datagram.CRC);
        return Packets.join(
                bare,
                new Octets().add(Framer.crcOnTheWire(bare, 0, bare.length)).bytes());
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("have right tags in each vector")
    void right(byte[] envelope) {
        assertThat(new Seals(RING).judge(envelope, findings)).isNull();
        assertThat(findings).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("are opened, those that are encrypted with their key only")
    void within(byte[] envelope) {
        Datagram fields = Datagram.parse(envelope);
        Datagram known = new Seals(RING).within(envelope, fields);
        assertThat(known).isNotNull();
        assertThat(Datagram.crcGood(known.bytes())).isTrue();
        assertThat(known.size()).isEqualTo(envelope.length - 52);

        Datagram bare = new Seals(null).within(envelope, fields);
        if (envelope[29] == 2) {
            assertThat(bare).isNull();
        } else {
            assertThat(bare).isNotNull();
            assertThat(bare.bytes()).isEqualTo(known.bytes());
        }
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("have wrong tags after a change, even if the CRC is right")
    void wrong(byte[] envelope) {
        byte[] changed = envelope.clone();
        changed[changed.length - Datagram.CRC - 1] ^= 1;

        assertThat(new Seals(RING).judge(withCrc(changed), findings)).isNull();
        assertThat(findings).extracting(Finding::id).containsExactly("DG-K.1-1");
    }

    @Test
    @DisplayName("of unknown keys are not checked, and a note says so once for each key")
    void unknown() {
        Seals seals = new Seals(KeyRing.parse("another file", "77 send hex:" + "ab".repeat(32) + " any"));
        byte[] envelope = good().findFirst().orElseThrow();

        assertThat(seals.judge(envelope, findings)).contains("not in the file of keys");
        assertThat(seals.judge(envelope, findings)).isNull();
        assertThat(findings).isEmpty();
    }

    @Test
    @DisplayName("are not checked without keys")
    void without() {
        byte[] changed = good().findFirst().orElseThrow();
        changed[changed.length - Datagram.CRC - 1] ^= 1;

        assertThat(new Seals(null).judge(withCrc(changed), findings)).isNull();
        assertThat(findings).isEmpty();
    }
}
