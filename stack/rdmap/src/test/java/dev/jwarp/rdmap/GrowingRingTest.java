package dev.jwarp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Rings that grow")
class GrowingRingTest {
    private final AtomicInteger made = new AtomicInteger();
    private final GrowingRing<int[]> ring = new GrowingRing<>(() -> new int[] {made.getAndIncrement()});

    @Test
    @DisplayName("create objects on demand, at most the number ever in use at a time, rounded up")
    void little() {
        assertThat(made).hasValue(0);
        for (long i = 0; i < 1_000; i++) {
            ring.begin(Math.max(0, i - 1), i); // two at a time
        }
        assertThat(made).hasValueLessThanOrEqualTo(4);
    }

    @Property
    @Label("return a distinct object for each number in use, for any number of them")
    void distinct(@ForAll @Size(max = 200) int[] begun, @ForAll @IntRange(max = 3) int start) {
        ArrayDeque<int[]> inUse = new ArrayDeque<>();
        long next = start;
        for (int step : begun) {
            if (step % 3 == 0 && !inUse.isEmpty()) {
                long oldest = next - inUse.size();
                assertThat(ring.at(oldest)).isSameAs(inUse.remove());
                continue;
            }
            int[] object = ring.begin(next - inUse.size(), next);
            assertThat(inUse).noneMatch(other -> other == object);
            inUse.add(object);
            next++;
        }
        long number = next - inUse.size();
        for (int[] object : inUse) {
            assertThat(ring.at(number++)).isSameAs(object);
        }
    }
}
