package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.conformance.script.Deviation;
import java.net.InetAddress;
import java.util.Objects;
import java.util.Random;

/**
 * Arbitrary bytes, parsed by the tester as datagrams of a port with keys, and put into envelopes by the tester itself.
 */
public class EnvelopesFuzzTest {
    private static final KeyRing RING = KeyRing.parse("the keys", "7 send hex:" + "5b".repeat(32) + " any");
    private static final KeyRing.Key KEY = Objects.requireNonNull(RING.sending(InetAddress.getLoopbackAddress()));
    private static final int LARGEST = 65_507;

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        Envelopes receiver = new Envelopes(RING, KEY, new Random(1));
        assertThat(Words.line(input)).isNotEmpty();
        try {
            assertThat(receiver.open(input)).hasSize(input.length - Envelopes.AROUND);
        } catch (Deviation e) {
            assertThat(e.requirement()).matches("DG-[K4]\\..*");
        }
        if (input.length >= Datagram.SHIM + Datagram.CRC && input.length <= LARGEST - Envelopes.AROUND) {
            byte[] good = Datagram.parse(input).bytes();
            assertThat(receiver.open(new Envelopes(RING, KEY, new Random(2)).seal(good)))
                    .isEqualTo(good);
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
