package dev.jwarp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ValidRangesTest {
    private static final int OCTETS = 60;

    /** What is added, in order. */
    private record Range(int begin, int end) {}

    @Provide
    Arbitrary<List<Range>> ranges() {
        Arbitrary<Integer> place = Arbitraries.integers().between(0, OCTETS);
        Arbitrary<Range> range =
                Combinators.combine(place, place).as((a, b) -> new Range(Math.min(a, b), Math.max(a, b)));
        return range.list().ofMaxSize(40);
    }

    private static int runs(BitSet set) {
        int runs = 0;
        for (int i = set.nextSetBit(0); i >= 0; i = set.nextSetBit(set.nextClearBit(i))) {
            runs++;
        }
        return runs;
    }

    private static BitSet with(BitSet set, Range range) {
        BitSet more = (BitSet) set.clone();
        more.set(range.begin(), range.end());
        return more;
    }

    @Property(tries = 300)
    void holdsWhatABitSetHolds(@ForAll("ranges") List<Range> added, @ForAll @IntRange(min = 1, max = 12) int limit) {
        ValidRanges ranges = new ValidRanges(limit);
        BitSet model = new BitSet();
        for (Range range : added) {
            BitSet next = with(model, range);
            boolean fits = runs(next) <= limit;
            assertThat(ranges.add(range.begin(), range.end())).isEqualTo(fits);
            model = fits ? next : model;
            assertThat(ranges.count()).as("as few ranges as it takes").isEqualTo(runs(model));
            assertThat(ranges.end()).isEqualTo(model.length());
            for (int begin = 0; begin <= OCTETS; begin++) {
                for (int end = begin; end <= OCTETS; end++) {
                    boolean inside = model.get(begin, end).cardinality() == end - begin;
                    assertThat(ranges.contains(begin, end)).isEqualTo(inside);
                }
            }
        }
        ranges.clear();
        assertThat(ranges.count()).isZero();
        assertThat(ranges.contains(0, 1)).isFalse();
    }

    @Test
    void joinsRangesThatTouch() {
        ValidRanges ranges = new ValidRanges(2);
        assertThat(ranges.add(10, 20)).isTrue();
        assertThat(ranges.add(30, 40)).isTrue();
        assertThat(ranges.add(50, 60)).as("a third range").isFalse();
        assertThat(ranges.toString()).isEqualTo("{10..20, 30..40}");
        assertThat(ranges.add(20, 30)).isTrue();
        assertThat(ranges.toString()).isEqualTo("{10..40}");
    }

    @Test
    void takesTheWholeLengthOfTheLargestBuffer() {
        ValidRanges ranges = new ValidRanges(1);
        assertThat(ranges.add(0, Integer.MAX_VALUE)).isTrue();
        assertThat(ranges.contains(Integer.MAX_VALUE - 1, Integer.MAX_VALUE)).isTrue();
    }

    @Test
    void refusesWhatIsNoRange() {
        assertThatThrownBy(() -> new ValidRanges(1).add(2, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ValidRanges(1).add(-1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ValidRanges(0)).isInstanceOf(IllegalArgumentException.class);
    }
}
