package dev.jwarp.rdmap.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

@Label("The ring of a work queue")
class OperationRingPropertyTest {
    @Property
    @Label("never holds an operation twice, keeps its contents until its release, and creates no more than needed")
    void neverTwice(@ForAll @IntRange(min = 1, max = 9) int capacity, @ForAll List<Boolean> steps) {
        AtomicInteger made = new AtomicInteger();
        OperationRing<long[]> ring = new OperationRing<>(capacity, () -> new long[] {made.getAndIncrement()});
        long most = 0;
        long published = 0;
        long released = 0;
        for (boolean publish : steps) {
            if (publish) {
                long[] operation = ring.claim();
                assertThat(operation == null).isEqualTo(published - released == capacity);
                if (operation != null) {
                    operation[0] = published++;
                    ring.publish();
                    most = Math.max(most, published - released);
                }
            } else if (released < published) {
                ring.release(released++);
            }
            for (long number = released; number < published; number++) {
                assertThat(ring.at(number)).containsExactly(number);
            }
            assertThat((long) made.get()).as("as many as were ever outstanding").isEqualTo(most);
        }
    }
}
