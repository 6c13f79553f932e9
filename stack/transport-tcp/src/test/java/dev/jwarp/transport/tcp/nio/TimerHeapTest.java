package dev.jwarp.transport.tcp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

@Label("The timer heap")
class TimerHeapTest {
    private static final class Item extends Timed {
        @Override
        void onTimer(long nowNanos) {}

        @Override
        void fault(Throwable cause, long nowNanos) {
            throw new AssertionError(cause);
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    @Label("gives each item at its time, whatever was changed or taken out before")
    void keepsTimes(@ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int count) {
        Random random = new Random(seed);
        TimerHeap heap = new TimerHeap();
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add(new Item());
        }
        for (int i = 0; i < 3 * count; i++) {
            Item item = items.get(random.nextInt(count));
            heap.schedule(item, random.nextInt(4) == 0 ? Long.MAX_VALUE : random.nextInt(1000));
        }
        List<Long> expected = items.stream()
                .map(item -> item.timerAt)
                .filter(at -> at != Long.MAX_VALUE)
                .sorted()
                .toList();
        assertThat(heap.size()).isEqualTo(expected.size());
        List<Long> given = new ArrayList<>();
        while (heap.next() != Long.MAX_VALUE) {
            long next = heap.next();
            assertThat(heap.pollDue(next - 1)).isNull();
            Timed due = heap.pollDue(next);
            given.add(next);
            assertThat(due.timerAt).isEqualTo(Long.MAX_VALUE);
            assertThat(due.timerIndex).isEqualTo(-1);
        }
        assertThat(given).isEqualTo(expected);
    }
}
