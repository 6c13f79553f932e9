package dev.jwarp.conformance.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;

/**
 * Arbitrary bytes, parsed by the tester as output of a device under test. The first byte selects the format and how the
 * bytes are divided.
 */
public class WireFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] octets = Arrays.copyOfRange(input, 1, input.length);
        if ((input[0] & 1) != 0 && octets.length >= StartFrame.HEADER) {
            StartFrame frame = StartFrame.parse(octets);
            assertThat(frame.privateData()).hasSize(octets.length - StartFrame.HEADER);
            assertThat(frame.ulpData()).hasSizeLessThanOrEqualTo(octets.length);
            assertThat(WireFields.startFrame(octets)).isNotEmpty();
        }
        Deframer deframer = new Deframer((input[0] & 2) != 0);
        int step = 1 + ((input[0] & 0xff) >> 2);
        for (int at = 0; at < octets.length; at += step) {
            deframer.add(Arrays.copyOfRange(octets, at, Math.min(octets.length, at + step)));
            for (Fpdu fpdu = deframer.next(); fpdu != null; fpdu = deframer.next()) {
                ulpdu(fpdu.ulpdu());
            }
        }
        ulpdu(octets);
        TerminateFields.parseAt((input[0] & 4) != 0, octets);
        TerminateFields.parseSwapped(octets);
    }

    private static void ulpdu(byte[] ulpdu) {
        WireFields.ulpdu(ulpdu);
        assertThat(WireFields.line(ulpdu)).isNotNull();
        if (Segment.whole(ulpdu)) {
            Segment segment = Segment.parse(ulpdu);
            assertThat(segment.bytes()).isEqualTo(ulpdu);
            TerminateFields.parse(segment.payload());
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
