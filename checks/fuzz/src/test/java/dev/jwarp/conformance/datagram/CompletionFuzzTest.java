package dev.jwarp.conformance.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.conformance.script.Inconclusive;

/** Arbitrary bytes, parsed by the tester as a received datagram, and as a completion that a target reports. */
public class CompletionFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        assertThat(Datagram.parse(input).size()).isGreaterThanOrEqualTo(Datagram.CRC);
        Datagram.crcGood(input);
        try {
            assertThat(DeviceCompletion.parse(input).toString()).isNotEmpty();
        } catch (Inconclusive e) {
            assertThat(e.getMessage()).startsWith("the target reported a completion");
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
