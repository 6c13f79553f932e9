package dev.jwarp.ddp.datagram;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.datagram.Shim;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** datagram-iWARP §4.5. */
class SegmentShapeTest {
    private final SegmentShape shape = new SegmentShape();

    private static Shim shim(long length, int size, int index, boolean padded) {
        return new Shim().message(1, length).segment(index, size).flags(false, false, false, padded);
    }

    @Tag("DG-4.5-2")
    @Tag("DG-4.5-5")
    @ParameterizedTest(name = "{0} bytes in segments of {1}, number {2}, last {3}, padded {4}, room {5}: {6}")
    @CsvSource({
        // One segment: S = len unless padded.
        "0, 0, 0, true, false, 0, true",
        "10, 10, 0, true, false, 10, true",
        "10, 12, 0, true, false, 10, false",
        "10, 12, 0, true, false, 12, false",
        "10, 12, 0, true, true, 12, true",
        "10, 12, 0, true, true, 10, false",
        "10, 10, 0, true, true, 10, true",
        "0, 100, 0, true, true, 100, true",
        "10, 10, 0, false, false, 10, false",
        "10, 10, 1, true, false, 10, false",
        "65535, 65535, 0, true, false, 65535, true",
        "10, 0, 0, true, false, 0, false",
        // Several: S ≥ 256, a multiple of 4; L in the last one only.
        "1000, 256, 0, false, false, 256, true",
        "1000, 256, 3, true, false, 232, true",
        "1000, 256, 3, false, false, 232, false",
        "1000, 256, 2, true, false, 256, false",
        "1000, 256, 4, true, false, 0, false",
        "1000, 256, 0, false, false, 255, false",
        "1000, 256, 0, false, false, 257, false",
        "1000, 256, 3, true, true, 256, true",
        "1000, 256, 3, true, true, 232, false",
        "1000, 256, 3, true, false, 256, false",
        "1000, 256, 2, false, true, 256, false",
        "1000, 252, 0, false, false, 252, false",
        "1000, 258, 0, false, false, 258, false",
        "512, 256, 1, true, false, 256, true",
        // N ≤ 65,536.
        "16777216, 256, 65535, true, false, 256, true",
        "16777217, 256, 0, false, false, 256, false",
        "4294967295, 65532, 65535, false, false, 65532, false",
        "4294770688, 65532, 65535, false, false, 65532, false",
        "4294705152, 65532, 65535, true, false, 65532, true"
    })
    void rules(long length, int size, int index, boolean last, boolean padded, int room, boolean legal) {
        assertThat(shape.received(shim(length, size, index, padded), last, room))
                .isEqualTo(legal);
    }

    @Test
    void theNumberOfSegmentsRoundsUp() {
        assertThat(SegmentShape.count(0, 100)).isEqualTo(1);
        assertThat(SegmentShape.count(64 << 10, 1428)).isEqualTo(46);
        assertThat(SegmentShape.count((1L << 32) - 1, 256)).isEqualTo(1 << 24);
    }

    @net.jqwik.api.Tag("DG-4.5-1")
    @Property
    void theSegmentsOfAMessageLieSideBySide(
            @ForAll @LongRange(min = 0, max = 3_000_000) long length,
            @ForAll @IntRange(min = 64, max = 16_383) int quarter) {
        int size = quarter * 4;
        int count = (int) SegmentShape.count(length, size);
        int stated = count == 1 ? (int) length : size;
        long next = 0;
        for (int i = 0; i < count; i++) {
            boolean last = i == count - 1;
            int payload = (int) Math.min(stated, length - next);
            assertThat(shape.received(shim(length, stated, i, false), last, payload))
                    .isTrue();
            assertThat(shape.offset()).isEqualTo(next);
            assertThat(shape.payload()).isEqualTo(payload);
            assertThat(shape.count()).isEqualTo(count);
            assertThat(shape.index()).isEqualTo(i);
            next += payload;
        }
        assertThat(next).isEqualTo(length);
        assertThat(shape.messageLength()).isEqualTo(length);
        assertThat(shape.segmentSize()).isEqualTo(stated);
    }

    @Property
    void nothingThatIsTakenLiesOutsideItsMessage(
            @ForAll @LongRange(min = 0, max = (1L << 32) - 1) long length,
            @ForAll @IntRange(min = 0, max = 65_535) int size,
            @ForAll @IntRange(min = 0, max = 65_535) int index,
            @ForAll boolean last,
            @ForAll boolean padded,
            @ForAll @IntRange(min = 0, max = 65_535) int room) {
        if (shape.received(shim(length, size, index, padded), last, room)) {
            assertThat(shape.payload()).isBetween(0, room);
            assertThat(shape.offset() + shape.payload()).isLessThanOrEqualTo(length);
            assertThat(last).isEqualTo(shape.offset() + shape.payload() == length);
        }
    }

    @Property
    void evenSegmentsAreAsManyAndNoLonger(
            @ForAll @LongRange(min = 257, max = 0xFFFF_FFFFL) long length,
            @ForAll @IntRange(min = 64, max = 16_383) int quarter) {
        int most = 4 * quarter;
        long segments = SegmentShape.count(length, most);
        if (segments > 1) {
            int even = SegmentShape.even(length, segments);
            assertThat(even)
                    .isBetween(SegmentShape.SMALLEST_SIZE, most)
                    .matches(size -> size % SegmentShape.SIZE_UNIT == 0);
            assertThat(SegmentShape.count(length, even)).isEqualTo(segments);
            assertThat(even == SegmentShape.SMALLEST_SIZE || (even - 4) * segments < length)
                    .as("no smaller size is sufficient")
                    .isTrue();
        }
    }
}
