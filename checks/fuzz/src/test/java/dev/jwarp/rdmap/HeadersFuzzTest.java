package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.message.TerminateHeader;
import dev.jwarp.rdmap.message.TerminateMessage;
import java.nio.ByteBuffer;

/**
 * Arbitrary bytes, parsed as a segment of each buffer model, and as a Terminate. The first byte selects the offset of
 * the parsed bytes.
 */
public class HeadersFuzzTest {
    /** RFC 5041 §4.1: bit T selects the buffer model, and so the header. */
    private static final int TAGGED = 0x80;

    /** For OSS-Fuzz and Jazzer itself. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        ByteBuffer in = ByteBuffer.wrap(input);
        int at = 1 + Math.min(input[0] & 0x1f, input.length - 1);
        int length = input.length - at;
        segment(in, at, length);
        if (length > 0) {
            byte[] otherModel = input.clone();
            otherModel[at] ^= (byte) TAGGED;
            segment(ByteBuffer.wrap(otherModel), at, length);
        }
        for (boolean setUp : new boolean[] {false, true}) {
            terminate(in, at, length, setUp);
        }
    }

    private static void segment(ByteBuffer in, int at, int length) {
        DdpSegment segment = new DdpSegment();
        TerminateCode code = segment.parse(in, at, length);
        int header = length > 0 && (in.get(at) & TAGGED) != 0 ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        if (length < header) {
            assertThat(code).isNotNull();
            assertThat(segment.headerLength()).isZero();
            return;
        }
        assertThat(segment.headerLength()).isEqualTo(header);
        assertThat(segment.length()).isEqualTo(length);
        assertThat(segment.ulpControl()).isEqualTo(in.get(at + 1) & 0xff);
        RdmapOpcode.of(segment.ulpControl());
        if (segment.tagged()) {
            assertThat(segment.stag()).isEqualTo(in.getInt(at + 2));
            assertThat(segment.taggedOffset()).isEqualTo(in.getLong(at + 6));
        } else {
            assertThat(segment.ulpWord()).isEqualTo(in.getInt(at + 2));
            assertThat(segment.queueNumber()).isEqualTo(in.getInt(at + 6));
            assertThat(segment.messageSequenceNumber()).isEqualTo(in.getInt(at + 10));
            assertThat(segment.messageOffset()).isEqualTo(Integer.toUnsignedLong(in.getInt(at + 14)));
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
