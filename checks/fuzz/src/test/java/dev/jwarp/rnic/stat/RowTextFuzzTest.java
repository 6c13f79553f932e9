package dev.jwarp.rnic.stat;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.verbs.ObservedRow;
import java.nio.ByteBuffer;

/**
 * Arbitrary bytes, parsed as a row of a process's statistics. A valid row is unchanged after it is written and parsed
 * again.
 */
public class RowTextFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        ObservedRow row = RowText.decode(ByteBuffer.wrap(input));
        if (row != null) {
            byte[] line = RowText.encode(row);
            ObservedRow again = RowText.decode(ByteBuffer.wrap(line, 0, line.length - 1));
            assertThat(again).as("written again").isNotNull();
            assertThat(again.fields().keySet()).isEqualTo(row.fields().keySet());
            assertThat(row.toString().codePoints()).noneMatch(Character::isISOControl);
        }
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
