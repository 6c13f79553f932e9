package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.message.TerminateHeader;
import dev.jwarp.rdmap.message.TerminateMessage;
import java.nio.ByteBuffer;

/**
 * Arbitrary bytes, parsed as each of the headers of DDP and RDMAP, and as a Terminate. The first byte selects the
 * offset.
 */
public class HeadersFuzzTest {
    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input);
        int at = 1 + Math.min(input[0] & 0x1f, input.length - 1);
        int length = input.length - at;
        UntaggedHeader untagged = new UntaggedHeader();
        if (untagged.wrap(in, at, length)) {
            assertThat(untagged.messageOffset()).isBetween(0L, 0xffff_ffffL);
            untagged.messageSequenceNumber();
            untagged.queueNumber();
            untagged.ulpWord();
            RdmapOpcode.of(untagged.ulpControl() & 0xf);
        }
        TaggedHeader tagged = new TaggedHeader();
        if (tagged.wrap(in, at, length)) {
            tagged.stag();
            tagged.taggedOffset();
            tagged.ulpControl();
        }
        for (boolean setUp : new boolean[] {false, true}) {
            terminate(in, at, length, setUp);
        }
    }

    private static void terminate(ByteBuffer in, int at, int length, boolean setUp) {
        TerminateMessage message = TerminateHeader.read(in, at, length, setUp);
        if (message == null) {
            assertThat(length).isLessThan(TerminateHeader.CONTROL_LENGTH);
            return;
        }
        assertThat(message.toString()).isNotEmpty();
        assertThat(message.octets().remaining()).isLessThanOrEqualTo(length);
        assertThat(message.ddpHeader().remaining()).isIn(0, TaggedHeader.LENGTH, UntaggedHeader.LENGTH);
        assertThat(message.readRequest().remaining()).isIn(0, ReadRequestHeader.LENGTH);
        assertThat(message.segmentLength()).isBetween(TerminateMessage.NO_LENGTH, 65_535);
        new QuotedSegment(message);
    }

    @FuzzTest(maxDuration = "10m")
    void anyOctets(byte[] input) {
        fuzzerTestOneInput(input);
    }
}
