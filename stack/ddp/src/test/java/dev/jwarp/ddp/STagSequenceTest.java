package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.jwarp.vectors.Whole;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class STagSequenceTest {
    private static STagSequence keyed(long seed) {
        return new STagSequence(new SplittableRandom(seed));
    }

    @Tag("DG-17-1")
    @Tag("SEC-6.1.1-2")
    @Test
    void givesNoNumberTwice() {
        STagSequence sequence = keyed(1);
        int count = Whole.or(200_000, 1_000_000);
        int[] numbers = IntStream.generate(sequence::next).limit(count).sorted().toArray();
        for (int i = 1; i < count; i++) {
            if (numbers[i] == numbers[i - 1]) { // a million assertions of a library take ten seconds
                fail("%d comes twice", numbers[i]);
            }
        }
    }

    @Property
    void permutes(@ForAll long key, @ForAll int one, @ForAll int other) {
        STagSequence sequence = keyed(key);
        assertThat(sequence.permute(one) == sequence.permute(other)).isEqualTo(one == other);
    }

    @Property
    void isTheSameForTheSameKey(@ForAll long key, @ForAll int index) {
        assertThat(keyed(key).permute(index)).isEqualTo(keyed(key).permute(index));
    }

    @Tag("SEC-6.1.1-2")
    @Test
    void spreadsNeighboursOverTheWholeRange() {
        STagSequence sequence = keyed(7);
        int flipped = 0;
        for (int i = 0; i < 10_000; i++) {
            flipped += Integer.bitCount(sequence.permute(i) ^ sequence.permute(i + 1));
        }
        assertThat(flipped / 10_000.0).as("bits that differ between neighbours").isBetween(15.5, 16.5);
    }

    @Test
    void isAnotherOneForAnotherKey() {
        int same = 0;
        STagSequence one = keyed(1);
        STagSequence other = keyed(2);
        for (int i = 0; i < 10_000; i++) {
            same += one.permute(i) == other.permute(i) ? 1 : 0;
        }
        assertThat(same).isLessThan(3);
    }
}
