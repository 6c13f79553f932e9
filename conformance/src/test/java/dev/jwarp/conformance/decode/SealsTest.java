package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.jwarp.conformance.datagram.Datagram;
import dev.jwarp.conformance.datagram.KeyRing;
import dev.jwarp.conformance.decode.DatagramTalks.Seals;
import dev.jwarp.conformance.wire.Framer;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

@DisplayName("The envelopes in a capture")
class SealsTest {
    static final List<byte[]> GOOD =
            Vectors.envelopes("envelope").stream().map(Vector::octets).toList();
    private static final KeyRing RING = ring();

    private final Breaches breaches = new Breaches();

    private static KeyRing ring() {
        try (InputStream in = SealsTest.class.getResourceAsStream("/dev/jwarp/vectors/envelope.json")) {
            JsonNode keys = new ObjectMapper().readTree(in).path("receiver").path("keys");
            return KeyRing.parse(
                    "the vectors",
                    String.join("\n", keys.valueStream().map(JsonNode::asText).toList()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same datagram with another tag and a right CRC. */
    private static byte[] changed(byte[] envelope) {
        byte[] bare = Arrays.copyOf(envelope, envelope.length - Datagram.CRC);
        bare[bare.length - 1] ^= 1;
        return Packets.join(bare, Framer.crcOnTheWire(bare, 0, bare.length));
    }

    @ParameterizedTest
    @FieldSource("GOOD")
    @DisplayName("have right tags in each vector")
    void right(byte[] envelope) {
        assertThat(new Seals(RING).judge(envelope, breaches)).isNull();
        assertThat(breaches.list()).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("GOOD")
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
    @FieldSource("GOOD")
    @DisplayName("have wrong tags after a change, even if the CRC is right")
    void wrong(byte[] envelope) {
        assertThat(new Seals(RING).judge(changed(envelope), breaches)).isNull();
        assertThat(breaches.list()).extracting(Finding::id).containsExactly("DG-K.1-1");
    }

    @Test
    @DisplayName("of unknown keys are not checked, and a note says so once for each key")
    void unknown() {
        Seals seals = new Seals(KeyRing.parse("another file", "77 send hex:" + "ab".repeat(32) + " any"));
        byte[] envelope = GOOD.get(0);

        assertThat(seals.judge(envelope, breaches)).contains("not in the file of keys");
        assertThat(seals.judge(envelope, breaches)).isNull();
        assertThat(breaches.list()).isEmpty();
    }

    @Test
    @DisplayName("are not checked without keys")
    void without() {
        byte[] envelope = GOOD.get(0);

        assertThat(new Seals(null).judge(changed(envelope), breaches)).isNull();
        assertThat(breaches.list()).isEmpty();
    }
}
