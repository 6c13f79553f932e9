package dev.jwarp.ddp.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** datagram-iWARP §7: the map equals exactly what was placed. */
class SegmentMapTest {
    private final ValiditySlab slab = new ValiditySlab(64 << 10);

    private static String ranges(SegmentMap map) {
        StringBuilder text = new StringBuilder();
        map.forEachRange((offset, length) ->
                text.append(offset).append('+').append(length).append(' '));
        text.append('/');
        map.forEachHole(
                (offset, length) -> text.append(' ').append(offset).append('+').append(length));
        return text.toString();
    }

    @Test
    void saysWhichRangesAreThere() {
        SegmentMap map = new SegmentMap();
        assertThat(map.open(slab, 1_000, 256)).isTrue();
        assertThat(ranges(map)).isEqualTo("/ 0+1000");
        map.place(3);
        map.place(1);
        assertThat(ranges(map)).isEqualTo("256+256 768+232 / 0+256 512+256");
        assertThat(map.validBytes()).isEqualTo(488);
        assertThat(map.contains(256, 256)).isTrue();
        assertThat(map.contains(256, 257)).isFalse();
        assertThat(map.contains(900, 100)).isTrue();
        assertThat(map.contains(900, 101)).isFalse();
        assertThat(map.contains(-1, 1)).isFalse();
        assertThat(map.contains(1_000, 0)).isTrue();
        assertThat(map.contains(100, Long.MAX_VALUE)).isFalse();
        map.place(0);
        map.place(2);
        assertThat(map.isComplete()).isTrue();
        assertThat(ranges(map)).isEqualTo("0+1000 /");
        map.seal(slab);
        assertThat(slab.usedOctets()).isZero();
        assertThat(map.isComplete()).isTrue();
        assertThat(ranges(map)).isEqualTo("0+1000 /");
        long[] words = new long[1];
        assertThat(map.copyTo(words)).isEqualTo(1);
        assertThat(words[0]).isEqualTo(0xf);
        assertThat(map.isPlaced(2)).isTrue();
    }

    @Test
    void aSingleSegmentNeedsNoMemory() {
        SegmentMap map = new SegmentMap();
        map.whole(77);
        assertThat(ranges(map)).isEqualTo("0+77 /");
        assertThat(map.isComplete()).isTrue();
        map.whole(0);
        assertThat(ranges(map)).isEqualTo("/");
        assertThat(map.isComplete()).isTrue();
        assertThat(map.validBytes()).isZero();
        assertThat(slab.usedOctets()).isZero();
    }

    @Property
    void equalsAModel(
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 3_000) int segments,
            @ForAll @IntRange(min = 0, max = 255) int less,
            @ForAll @IntRange(min = 0, max = 100) int percent) {
        Random random = new Random(seed);
        long length = segments * 256L - less;
        SegmentMap map = new SegmentMap();
        map.open(slab, length, 256);
        BitSet model = new BitSet();
        for (int i = 0; i < segments; i++) {
            int segment = random.nextInt(segments);
            if (random.nextInt(100) < percent && !model.get(segment)) {
                assertThat(map.isPlaced(segment)).isFalse();
                map.place(segment);
                model.set(segment);
            }
        }
        long[] words = new long[(segments + 63) / 64];
        map.copyTo(words);
        assertThat(BitSet.valueOf(words)).isEqualTo(model);
        BitSet octets = new BitSet();
        map.forEachRange((offset, count) -> octets.set((int) offset, (int) (offset + count)));
        BitSet wanted = new BitSet();
        model.stream().forEach(i -> wanted.set(i * 256, (int) Math.min(length, i * 256L + 256)));
        assertThat(octets).isEqualTo(wanted);
        assertThat(map.validBytes()).isEqualTo(wanted.cardinality());
        map.forEachHole((offset, count) -> octets.flip((int) offset, (int) (offset + count)));
        assertThat(octets.cardinality()).isEqualTo((int) length);
        map.close(slab);
        map.close(slab);
        assertThat(slab.usedOctets()).isZero();
    }

    @Property
    void blocksNeverOverlapNorOutgrowTheSlab(@ForAll long seed) {
        Random random = new Random(seed);
        List<SegmentMap> open = new ArrayList<>();
        List<Integer> sizes = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 400; i++) {
            if (random.nextInt(3) == 0 && !open.isEmpty()) {
                int which = random.nextInt(open.size());
                SegmentMap map = open.remove(which);
                assertThat(map.validBytes()).isEqualTo(256L * sizes.remove(which));
                assertThat(IntStream.range(0, map.segments()).allMatch(map::isPlaced))
                        .isTrue();
                map.close(slab);
                continue;
            }
            int segments = 1 << random.nextInt(17);
            SegmentMap map = new SegmentMap();
            if (map.open(slab, segments * 256L, 256)) {
                assertThat(map.nextValid(0)).as("begins empty").isEqualTo(map.length());
                for (int s = 0; s < segments; s++) {
                    map.place(s);
                }
                open.add(map);
                sizes.add(segments);
            } else {
                refused++;
            }
            assertThat(slab.usedOctets()).isLessThanOrEqualTo(64 << 10);
        }
        assertThat(refused).isPositive();
        open.forEach(map -> map.close(slab));
        assertThat(slab.usedOctets()).isZero();
    }

    @Test
    void aSlabHasRoomForOneMessageAtLeast() {
        assertThatThrownBy(() -> new ValiditySlab(8_191)).isInstanceOf(IllegalArgumentException.class);
        assertThat(SegmentMap.memory(16 << 20, 256)).isEqualTo(8_192);
        assertThat(SegmentMap.memory(1 << 20, 1_428)).isEqualTo(128);
        assertThat(SegmentMap.memory(0, 1)).isEqualTo(8);
    }
}
