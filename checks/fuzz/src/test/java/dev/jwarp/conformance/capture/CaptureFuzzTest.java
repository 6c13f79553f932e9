package dev.jwarp.conformance.capture;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Arbitrary bytes, read as a capture file, pcap or pcapng: the reader returns frames, or fails with a sentence. */
public class CaptureFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        long octets = 0;
        try {
            CaptureReader reader = CaptureReader.of(new ByteArrayInputStream(input));
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                octets += frame.octets().length;
            }
        } catch (CaptureException e) {
            assertThat(e.getMessage()).isNotEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(octets).isLessThanOrEqualTo(input.length);
    }

    @FuzzTest(maxDuration = "10m")
    @DictionaryFile(resourcePath = "/dev/jwarp/conformance/capture/capture.dict")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
