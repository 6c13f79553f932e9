package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.conformance.script.Deviation;
import dev.jwarp.conformance.wire.Octets;
import dev.jwarp.vectors.Vectors;
import dev.jwarp.vectors.Vectors.Vector;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The tester's own envelopes and keys")
class EnvelopesTest {
    /** The keys of envelope.json. */
    private static final KeyRing RING = KeyRing.parse("the vectors", """
            7 send hex:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f any hmac-sha-256
            6 receive hex:00112233445566778899aabbccddeeff 192.0.2.0/24 hmac-sha-256
            5 receive hex:f0f1f2f3f4f5f6f7f8f9fafbfcfdfefff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff any aes-128-gcm""");

    private static final byte[] SEND =
            Datagram.of(Kind.DATA, Octets.pattern(30, 1)).bytes();

    static List<Vector> good() {
        return Vectors.envelopes("envelope");
    }

    private static Envelopes envelopes(long seed) throws IOException {
        KeyRing.Key key = Objects.requireNonNull(RING.sending(InetAddress.getLoopbackAddress()));
        return new Envelopes(RING, key, new Random(seed));
    }

    /** Two ends, of which the first has asked for the origin of the second. */
    private static void greet(Envelopes first, Envelopes second) {
        byte[] question = Objects.requireNonNull(
                second.heard(second.open(first.tagged(first.greeting(new byte[Envelopes.NUMBER])))));
        assertThat(question).isNotEqualTo(new byte[Envelopes.NUMBER]);
        byte[] answer = first.heard(first.open(second.tagged(second.greeting(question))));
        assertThat(answer).isNotNull().isNotEqualTo(question);
        assertThat(first.greeted()).isTrue();
        assertThat(second.greeted()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("good")
    @DisplayName("the vectors of envelopes are opened, and built again byte by byte")
    void vectors(Vector vector) {
        byte[] octets = vector.octets();
        byte[] within = vector.bytes("inner");

        assertThat(Envelopes.is(octets)).isTrue();
        assertThat(RING.open(octets)).isEqualTo(within);
        Datagram d = Datagram.parse(octets);
        KeyRing.Key key = Objects.requireNonNull(RING.find(d.get(Envelopes.KEY_ID, 4)));
        Datagram inner = Datagram.parse(within);
        byte[] covered = new Octets()
                .add(d.slice(0, Envelopes.REST))
                .add(inner.slice(Datagram.SHIM, inner.size()))
                .zeros(Datagram.CRC)
                .bytes();
        assertThat(Envelopes.tagged(Datagram.parse(covered), key)).isEqualTo(octets);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hmac-sha-256", "aes-128-gcm"})
    @DisplayName("an envelope of one end can be opened by the other end, once, and not after a change")
    void sealed(String algorithm) throws IOException {
        KeyRing ring = KeyRing.parse("keys", "7 send hex:" + "5b".repeat(32) + " any " + algorithm);
        KeyRing.Key key = Objects.requireNonNull(ring.sending(InetAddress.getLoopbackAddress()));
        Envelopes sender = new Envelopes(ring, key, new Random(1));
        Envelopes receiver = new Envelopes(ring, key, new Random(2));
        greet(sender, receiver);
        byte[] octets = sender.seal(SEND);

        charged(receiver, sender.forged(sender.around(SEND)), "DG-K.1-1");
        charged(receiver, sender.otherAlgorithm(sender.around(SEND)), "DG-K.1-1");
        assertThat(octets).hasSize(SEND.length + Envelopes.AROUND);
        assertThat(receiver.open(octets)).isEqualTo(SEND);
        assertThat(receiver.last()).isEqualTo(octets);
        charged(receiver, octets, "DG-K.6-2");
    }

    @Test
    @DisplayName("a device is charged with the faults of its envelopes")
    void judged() throws IOException {
        Envelopes sender = envelopes(1);
        Envelopes receiver = envelopes(2);

        charged(receiver, sender.tagged(sender.around(SEND)), "DG-K.7-8");
        greet(sender, receiver);
        charged(receiver, sender.tagged(sender.around(SEND).put(Envelopes.RECEIVER, 8, 1)), "DG-K.7-8");
        charged(receiver, SEND, "DG-K.6-1");
        charged(receiver, sender.tagged(sender.around(SEND).put(Envelopes.LENGTH, 2, 99)), "DG-K.7-2");
        charged(receiver, sender.tagged(sender.around(SEND).put(Envelopes.KEY_ID, 4, sender.unknownKey())), "DG-K.1-1");
        charged(receiver, sender.tagged(sender.around(SEND).put(Envelopes.ALGORITHM, 1, 3)), "DG-K.1-1");
        charged(receiver, sender.tagged(sender.around(SEND).put(Envelopes.TIME, 4, 1)), "DG-K.1-1");
        charged(receiver, sender.tagged(sender.around(SEND).put(Envelopes.SEQUENCE, 8, 0)), "DG-K.6-2");
    }

    private static void charged(Envelopes receiver, byte[] octets, String requirement) {
        assertThatThrownBy(() -> receiver.open(octets))
                .isInstanceOfSatisfying(
                        Deviation.class, d -> assertThat(d.requirement()).isEqualTo(requirement));
    }

    @Test
    @DisplayName("the first sending key whose networks contain the address is used")
    void peers() throws IOException {
        String secret = "hex:" + "01".repeat(16);
        KeyRing ring = KeyRing.parse("keys", """
                # comment
                1 receive SECRET any
                2 send SECRET 192.0.2.128/25,2001:db8::/33

                3 send base64:AAECAwQFBgcICQoLDA0ODw== any""".replace("SECRET", secret));

        assertThat(id(ring, "192.0.2.200")).isEqualTo(2);
        assertThat(id(ring, "192.0.2.100")).isEqualTo(3);
        assertThat(id(ring, "2001:db8:7fff::1")).isEqualTo(2);
        assertThat(id(ring, "2001:db8:8000::1")).isEqualTo(3);
    }

    private static long id(KeyRing ring, String address) throws IOException {
        return Objects.requireNonNull(ring.sending(InetAddress.getByName(address)))
                .id();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1 send hex:0 any",
                "1 send hex:00112233445566778899aabbccddeef any",
                "1 send any",
                "1 sends hex:00112233445566778899aabbccddeeff any",
                "4294967296 send hex:00112233445566778899aabbccddeeff any",
                "1 send hex:00112233445566778899aabbccddeeff 192.0.2.0/33",
                "1 send hex:00112233445566778899aabbccddeeff somewhere",
                "1 send hex:00112233445566778899aabbccddeeff any rot13",
                "1 send hex:00112233445566778899aabbccddeeff any aes-128-gcm more",
                "1 receive hex:00112233445566778899aabbccddeeff any",
                ""
            })
    @DisplayName("a file without good keys is refused with a sentence that reveals no secret")
    void refused(String text) {
        assertThatThrownBy(() -> KeyRing.parse("keys.txt", text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keys.txt")
                .hasMessageNotContaining("0011");
    }
}
