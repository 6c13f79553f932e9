package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RFC 5041 §4. */
class HeadersTest {
    private static final HexFormat HEX = HexFormat.of();

    private final TaggedHeader tagged = new TaggedHeader();
    private final UntaggedHeader untagged = new UntaggedHeader();
    private final DdpSegment segment = new DdpSegment();

    @Test
    void aTaggedHeaderHasFourteenOctets() {
        ByteBuffer buffer = ByteBuffer.allocate(14);
        assertThat(tagged.wrap(buffer, 0, 14)).isTrue();
        tagged.control(true).ulpControl(0x40).stag(0x01020304).taggedOffset(0x1112131415161718L);
        assertThat(HEX.formatHex(buffer.array())).isEqualTo("c140010203041112131415161718");
        tagged.control(false);
        assertThat(buffer.get(0)).isEqualTo((byte) 0x81);
    }

    @Test
    void anUntaggedHeaderHasEighteenOctets() {
        ByteBuffer buffer = ByteBuffer.allocate(18);
        assertThat(untagged.wrap(buffer, 0, 18)).isTrue();
        untagged.control(true).ulpControl(0x43).ulpWord(0x01020304);
        untagged.queueNumber(0x05060708).messageSequenceNumber(0x090a0b0c).messageOffset(0xfffefdfcL);
        assertThat(HEX.formatHex(buffer.array())).isEqualTo("4143010203040506070809" + "0a0b0cfffefdfc");
        untagged.control(false);
        assertThat(buffer.get(0)).isEqualTo((byte) 0x01);
    }

    @Test
    void aViewRefusesWhatIsTooShortForIt() {
        ByteBuffer buffer = ByteBuffer.allocate(32);
        assertThat(tagged.wrap(buffer, 3, 13)).isFalse();
        assertThat(tagged.wrap(buffer, 3, 14)).isTrue();
        assertThat(untagged.wrap(buffer, 3, 17)).isFalse();
        assertThat(untagged.wrap(buffer, 3, 18)).isTrue();
    }

    @Property
    void aTaggedSegmentIsReadAsItWasWritten(
            @ForAll boolean last,
            @ForAll @IntRange(max = 255) int ulp,
            @ForAll int stag,
            @ForAll long to,
            @ForAll @IntRange(max = 40) int at,
            @ForAll @IntRange(max = 60) int payload) {
        ByteBuffer buffer = ByteBuffer.allocate(200);
        tagged.wrap(buffer, at, 14);
        tagged.control(last).ulpControl(ulp).stag(stag).taggedOffset(to);

        assertThat(segment.parse(buffer, at, 14 + payload)).isNull();
        assertThat(segment.tagged()).isTrue();
        assertThat(segment.last()).isEqualTo(last).isEqualTo(tagged.last());
        assertThat(segment.ulpControl()).isEqualTo(ulp).isEqualTo(tagged.ulpControl());
        assertThat(segment.stag()).isEqualTo(stag).isEqualTo(tagged.stag());
        assertThat(segment.taggedOffset()).isEqualTo(to).isEqualTo(tagged.taggedOffset());
        assertThat(tagged.version()).isEqualTo(1);
        assertThat(segment.headerOffset()).isEqualTo(at);
        assertThat(segment.headerLength()).isEqualTo(14);
        assertThat(segment.payloadOffset()).isEqualTo(at + 14);
        assertThat(segment.payloadLength()).isEqualTo(payload);
        assertThat(segment.length()).isEqualTo(14 + payload);
        assertThat(segment.toString()).contains(String.format("%08x", stag));
    }

    @Property
    void anUntaggedSegmentIsReadAsItWasWritten(
            @ForAll boolean last,
            @ForAll @IntRange(max = 255) int ulp,
            @ForAll int word,
            @ForAll int qn,
            @ForAll int msn,
            @ForAll int mo,
            @ForAll @IntRange(max = 40) int at,
            @ForAll @IntRange(max = 60) int payload) {
        ByteBuffer buffer = ByteBuffer.allocate(200);
        untagged.wrap(buffer, at, 18);
        untagged.control(last).ulpControl(ulp).ulpWord(word);
        untagged.queueNumber(qn).messageSequenceNumber(msn).messageOffset(mo);

        assertThat(segment.parse(buffer, at, 18 + payload)).isNull();
        assertThat(segment.tagged()).isFalse();
        assertThat(segment.last()).isEqualTo(last).isEqualTo(untagged.last());
        assertThat(segment.ulpControl()).isEqualTo(ulp).isEqualTo(untagged.ulpControl());
        assertThat(segment.ulpWord()).isEqualTo(word).isEqualTo(untagged.ulpWord());
        assertThat(segment.queueNumber()).isEqualTo(qn).isEqualTo(untagged.queueNumber());
        assertThat(segment.messageSequenceNumber()).isEqualTo(msn).isEqualTo(untagged.messageSequenceNumber());
        assertThat(segment.messageOffset()).isEqualTo(mo & 0xffff_ffffL).isEqualTo(untagged.messageOffset());
        assertThat(untagged.version()).isEqualTo(1);
        assertThat(segment.headerLength()).isEqualTo(18);
        assertThat(segment.payloadOffset()).isEqualTo(at + 18);
        assertThat(segment.payloadLength()).isEqualTo(payload);
        assertThat(segment.toString()).contains("QN " + Integer.toUnsignedString(qn));
    }

    @Property
    void anyOctetsAreReadOrRefusedWithACode(
            @ForAll byte[] octets, @ForAll @IntRange(max = 20) int before, @ForAll boolean direct) {
        int size = before + octets.length;
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
        buffer.put(before, octets);
        TerminateCode code = segment.parse(buffer, before, octets.length);
        if (octets.length < 2) {
            assertThat(code).isEqualTo(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
            assertThat(segment.headerLength()).isZero();
            return;
        }
        boolean isTagged = octets[0] < 0;
        int headerLength = isTagged ? 14 : 18;
        if ((octets[0] & 3) != 1) {
            assertThat(code)
                    .isEqualTo(isTagged ? TerminateCode.DDP_TAGGED_VERSION : TerminateCode.DDP_UNTAGGED_VERSION);
        } else if (octets.length < headerLength) {
            assertThat(code).isEqualTo(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
        } else {
            assertThat(code).isNull();
        }
        // A complete header can be copied into the Terminate, even with an error in it.
        assertThat(segment.headerLength()).isEqualTo(octets.length < headerLength ? 0 : headerLength);
        assertThat(segment.payloadLength()).isEqualTo(Math.max(0, octets.length - headerLength));
    }

    @Tag("DDP-4.1-2")
    @Test
    void reservedBitsAreNotLookedAt() {
        ByteBuffer buffer = ByteBuffer.wrap(HEX.parseHex("fd40" + "00000001" + "0000000000000002"));
        assertThat(segment.parse(buffer, 0, 14)).isNull();
        assertThat(segment.last()).isTrue();
        assertThat(segment.stag()).isEqualTo(1);
    }

    @Test
    void aSegmentRemembersNothingOfTheOneBefore() {
        ByteBuffer whole = ByteBuffer.wrap(HEX.parseHex("c140" + "00000001" + "0000000000000002" + "ff"));
        assertThat(segment.parse(whole, 0, 15)).isNull();
        assertThat(segment.parse(whole, 0, 1)).isNotNull();
        assertThat(segment.headerLength()).isZero();
        assertThat(segment.payloadLength()).isZero();
    }
}
