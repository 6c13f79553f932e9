package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** RFC 5041 §5.2. */
class SegmenterTest {
    private final Segmenter segmenter = new Segmenter();

    @Tag("DDP-4.1-4")
    @Tag("DDP-4.3-4")
    @Tag("DDP-5.2-1")
    @Test
    void cutsTheUntaggedMessageOfTheRfc() {
        segmenter.begin(2048, UntaggedHeader.LENGTH);
        assertThat(segmenter.next(1500)).isEqualTo(1482);
        assertThat(segmenter.offset()).isZero();
        assertThat(segmenter.last()).isFalse();
        assertThat(segmenter.next(1500)).isEqualTo(566);
        assertThat(segmenter.offset()).isEqualTo(1482);
        assertThat(segmenter.last()).isTrue();
        assertThat(segmenter.hasNext()).isFalse();
    }

    @Tag("DDP-5.2-2")
    @Test
    void cutsTheTaggedMessageOfTheRfc() {
        long messageTo = 16384;
        segmenter.begin(2048, TaggedHeader.LENGTH);
        assertThat(segmenter.next(1500)).isEqualTo(1486);
        assertThat(messageTo + segmenter.offset()).isEqualTo(16384);
        assertThat(segmenter.next(1500)).isEqualTo(562);
        assertThat(messageTo + segmenter.offset()).isEqualTo(17870);
        assertThat(segmenter.last()).isTrue();
    }

    @Tag("DDP-5.2-3")
    @Test
    void makesExactlyOneSegmentOfAMessageWithoutOctets() {
        assertThat(segmenter.hasNext()).isFalse();
        segmenter.begin(0, TaggedHeader.LENGTH);
        assertThat(segmenter.hasNext()).isTrue();
        assertThat(segmenter.next(128)).isZero();
        assertThat(segmenter.last()).isTrue();
        assertThat(segmenter.hasNext()).isFalse();
    }

    @net.jqwik.api.Tag("DDP-5.2-6")
    @net.jqwik.api.Tag("DDP-5.3-4")
    @Property
    void leavesNothingOutAndFillsEverySegmentButTheLast(
            @ForAll @LongRange(max = 100_000) long length, @ForAll @IntRange(min = 128, max = 9000) int mulpdu) {
        segmenter.begin(length, UntaggedHeader.LENGTH);
        long sent = 0;
        while (segmenter.hasNext()) {
            int payload = segmenter.next(mulpdu);
            assertThat(segmenter.offset()).isEqualTo(sent);
            sent += payload;
            assertThat(payload + UntaggedHeader.LENGTH).isLessThanOrEqualTo(mulpdu);
            assertThat(segmenter.last() || payload + UntaggedHeader.LENGTH == mulpdu)
                    .isTrue();
        }
        assertThat(sent).isEqualTo(length);
    }

    @Test
    void followsAMulpduThatChangesInTheMiddle() {
        segmenter.begin(1000, TaggedHeader.LENGTH);
        assertThat(segmenter.next(514)).isEqualTo(500);
        assertThat(segmenter.next(128)).isEqualTo(114);
        assertThat(segmenter.next(9000)).isEqualTo(386);
        assertThat(segmenter.last()).isTrue();
    }

    @Tag("DDP-5.2-5")
    @Test
    void takesMessagesOfLessThanTwoToTheThirtyTwoOctets() {
        segmenter.begin((1L << 32) - 1, TaggedHeader.LENGTH);
        long sent = 0;
        while (segmenter.hasNext()) {
            sent += segmenter.next(64_768);
        }
        assertThat(sent).isEqualTo((1L << 32) - 1);
        assertThatThrownBy(() -> segmenter.begin(1L << 32, TaggedHeader.LENGTH))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> segmenter.begin(-1, TaggedHeader.LENGTH)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysSoWhenUsedWrongly() {
        assertThatThrownBy(() -> segmenter.next(1500)).isInstanceOf(IllegalStateException.class);
        segmenter.begin(1, TaggedHeader.LENGTH);
        assertThatThrownBy(() -> segmenter.next(TaggedHeader.LENGTH)).isInstanceOf(IllegalArgumentException.class);
    }
}
