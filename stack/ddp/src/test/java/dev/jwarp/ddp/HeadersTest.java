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

    private final DdpSegment segment = new DdpSegment();

    @Test
    void aTaggedHeaderHasFourteenOctets() {
        ByteBuffer buffer = ByteBuffer.allocate(14);
        TaggedHeader.write(buffer, 0, true, 0x40, 0x01020304, 0x1112131415161718L);
        assertThat(HEX.formatHex(buffer.array())).isEqualTo("c140010203041112131415161718");
        TaggedHeader.write(buffer, 0, false, 0x40, 0x01020304, 0x1112131415161718L);
        assertThat(buffer.get(0)).isEqualTo((byte) 0x81);
    }

    @Test
    void anUntaggedHeaderHasEighteenOctets() {
        ByteBuffer buffer = ByteBuffer.allocate(18);
        UntaggedHeader.write(buffer, 0, true, 0x43, 0x05060708, 0x090a0b0c);
        UntaggedHeader.writeRest(buffer, 0, 0x01020304, 0xfffefdfcL);
        assertThat(HEX.formatHex(buffer.array())).isEqualTo("4143010203040506070809" + "0a0b0cfffefdfc");
        UntaggedHeader.write(buffer, 0, false, 0x43, 0x05060708, 0x090a0b0c);
        assertThat(buffer.get(0)).isEqualTo((byte) 0x01);
    }

    @Test
    void aSegmentTooShortForItsHeaderIsRefused() {
        ByteBuffer buffer = ByteBuffer.allocate(32);
        TaggedHeader.write(buffer, 3, true, 0x40, 1, 2);
        assertThat(segment.parse(buffer, 3, 13)).isEqualTo(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
        assertThat(segment.parse(buffer, 3, 14)).isNull();
        UntaggedHeader.write(buffer, 3, true, 0x43, 0, 1);
        assertThat(segment.parse(buffer, 3, 17)).isEqualTo(TerminateCode.RDMAP_OPERATION_UNSPECIFIED);
        assertThat(segment.parse(buffer, 3, 18)).isNull();
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
        TaggedHeader.write(buffer, at, last, ulp, stag, to);

        assertThat(segment.parse(buffer, at, 14 + payload)).isNull();
        assertThat(segment.tagged()).isTrue();
        assertThat(segment.last()).isEqualTo(last);
        assertThat(segment.ulpControl()).isEqualTo(ulp);
        assertThat(segment.stag()).isEqualTo(stag);
        assertThat(segment.taggedOffset()).isEqualTo(to);
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
        UntaggedHeader.write(buffer, at, last, ulp, qn, msn);
        UntaggedHeader.writeRest(buffer, at, word, mo);

        assertThat(segment.parse(buffer, at, 18 + payload)).isNull();
        assertThat(segment.tagged()).isFalse();
        assertThat(segment.last()).isEqualTo(last);
        assertThat(segment.ulpControl()).isEqualTo(ulp);
        assertThat(segment.ulpWord()).isEqualTo(word);
        assertThat(segment.queueNumber()).isEqualTo(qn);
        assertThat(segment.messageSequenceNumber()).isEqualTo(msn);
        assertThat(segment.messageOffset()).isEqualTo(mo & 0xffff_ffffL);
        assertThat(segment.headerLength()).isEqualTo(18);
        assertThat(segment.payloadOffset()).isEqualTo(at + 18);
        assertThat(segment.payloadLength()).isEqualTo(payload);
        assertThat(segment.toString()).contains("QN " + Integer.toUnsignedString(qn));
    }

    @Property
    void theNextTaggedHeaderDiffersOnlyInItsOffset(
            @ForAll int stag, @ForAll long to, @ForAll @IntRange(max = 65_532) int octets) {
        ByteBuffer buffer = ByteBuffer.allocate(40);
        TaggedHeader.write(buffer, 3, false, 0x4f, stag, to);
        TaggedHeader.writeNext(buffer, 3, 20, octets);
        ByteBuffer next = ByteBuffer.allocate(14);
        TaggedHeader.write(next, 0, false, 0x4f, stag, to + octets);
        assertThat(buffer.slice(20, 14)).isEqualTo(next);
    }

    @Property
    void theNextUntaggedHeaderDiffersOnlyInItsOffset(
            @ForAll int word,
            @ForAll int qn,
            @ForAll int msn,
            @ForAll int mo,
            @ForAll @IntRange(max = 65_532) int octets) {
        ByteBuffer buffer = ByteBuffer.allocate(40);
        UntaggedHeader.write(buffer, 3, false, 0x43, qn, msn);
        UntaggedHeader.writeRest(buffer, 3, word, mo);
        UntaggedHeader.writeNext(buffer, 3, 22, octets);
        ByteBuffer next = ByteBuffer.allocate(18);
        UntaggedHeader.write(next, 0, false, 0x43, qn, msn);
        UntaggedHeader.writeRest(next, 0, word, (long) mo + octets);
        assertThat(buffer.slice(22, 18)).isEqualTo(next);
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
