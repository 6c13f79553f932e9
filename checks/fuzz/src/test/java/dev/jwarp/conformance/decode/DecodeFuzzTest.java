package dev.jwarp.conformance.decode;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.conformance.capture.CaptureException;
import dev.jwarp.conformance.capture.CaptureReader;
import dev.jwarp.conformance.capture.Frame;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

/** Arbitrary bytes, read as a capture and decoded in all the ways of {@code jwarp decode}. */
public class DecodeFuzzTest {
    private static final Set<Integer> PORTS = Set.of(7174);

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        TextLines text = new TextLines(true, true);
        JsonLines json = new JsonLines(true);
        Messages sums = new Messages(item -> check(item, text, json));
        Decoder decoder = new Decoder(
                PORTS,
                null,
                item -> {
                    check(item, text, json);
                    sums.accept(item);
                },
                sums::ended);
        try {
            CaptureReader reader = CaptureReader.of(new ByteArrayInputStream(input));
            for (Frame frame = reader.next(); frame != null; frame = reader.next()) {
                decoder.frame(frame);
            }
        } catch (CaptureException e) {
            assertThat(e.getMessage()).isNotEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        decoder.end();
        sums.end();
        assertThat(decoder.summary()).isNotEmpty();
    }

    /** Bytes from a peer must not move the cursor of a terminal. */
    private static void check(Item item, TextLines text, JsonLines json) {
        for (String line : text.lines(item)) {
            if (line.chars().anyMatch(Character::isISOControl)) {
                throw new AssertionError(line);
            }
        }
        assertThat(json.object(item).toString()).startsWith("{");
    }

    @FuzzTest(maxDuration = "10m")
    @DictionaryFile(resourcePath = "/dev/jwarp/conformance/capture/capture.dict")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
