package dev.jwarp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.mpa.StartFrameAssembler.Progress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Arbitrary bytes, read as the start of a stream: Request or Reply, with private data, plain or enhanced. The first
 * byte selects which.
 */
public class StartFrameFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            read(input, false);
            read(input, true);
        }
    }

    private static void read(byte[] input, boolean revisionZero) {
        StartFrame.Kind expected = (input[0] & 1) == 0 ? StartFrame.Kind.REQUEST : StartFrame.Kind.REPLY;
        byte[] octets = Arrays.copyOfRange(input, 1, input.length);
        StartFrameAssembler whole = new StartFrameAssembler(expected, revisionZero);
        ByteBuffer in = ByteBuffer.wrap(octets);
        Progress progress = whole.receive(in);
        int taken = in.position();

        StartFrameAssembler pieces = new StartFrameAssembler(expected, revisionZero);
        int step = 1 + ((input[0] & 0xff) >> 1);
        for (int at = 0; at < octets.length && pieces.progress() != Progress.BROKEN; at += step) {
            pieces.receive(ByteBuffer.wrap(octets, at, Math.min(step, octets.length - at)));
        }
        assertThat(pieces.progress()).as("in pieces").isEqualTo(progress);
        assertThat(pieces.problem()).isEqualTo(whole.problem());
        if (progress == Progress.COMPLETE) {
            StartFrame frame = whole.frame();
            assertThat(pieces.frame()).isEqualTo(frame);
            assertThat(frame.kind()).isEqualTo(expected);
            assertThat(taken).isEqualTo(frame.length()).isLessThanOrEqualTo(StartFrame.MAX_LENGTH);
            assertThat(frame.encode()).as("encoded again").isEqualTo(ByteBuffer.wrap(octets, 0, taken));
        } else {
            whole.endOfInput();
        }
    }

    @FuzzTest(maxDuration = "10m")
    @DictionaryFile(resourcePath = "/dev/jwarp/mpa/mpa.dict")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
