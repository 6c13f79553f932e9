package dev.jwarp.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

@Label("The timer heap")
class TimerHeapTest {
    private static final class Item extends TimerHeap.Entry {
        /** The time in the model. */
        private long wanted = TimerHeap.NEVER;
    }

    private final TimerHeap<Item> heap = new TimerHeap<>();
    private final List<Item> items = new ArrayList<>();

    private Stream<Item> waiting() {
        return items.stream().filter(item -> item.wanted != TimerHeap.NEVER);
    }

    private static Comparator<Item> byTime() {
        return Comparator.comparingLong(item -> item.wanted);
    }

    /** Changes the time of an item in one of five ways. */
    private void change(Item item, long at, int how) {
        switch (how) {
            case 0 -> {
                heap.schedule(item, at);
                item.wanted = at;
            }
            case 1 -> {
                heap.postpone(item, at);
                item.wanted = at;
            }
            case 2 -> {
                heap.noLaterThan(item, at);
                item.wanted = item.wanted == TimerHeap.NEVER || at < item.wanted ? at : item.wanted;
            }
            case 3 -> {
                heap.remove(item);
                item.wanted = TimerHeap.NEVER;
            }
            default -> {
                heap.schedule(item, TimerHeap.NEVER);
                item.wanted = TimerHeap.NEVER;
            }
        }
        assertThat(item.at()).isEqualTo(item.wanted);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    @Label("returns each item at its last time, not earlier, after any changes and at any clock value")
    void keepsTimes(@ForAll long seed, @ForAll @IntRange(min = 1, max = 100) int count, @ForAll long origin) {
        long start = Math.min(origin, Long.MAX_VALUE - 5_000);
        Random random = new Random(seed);
        for (int i = 0; i < count; i++) {
            items.add(new Item());
        }
        for (long now = 0; now < 1_000; now += 50) {
            for (int i = 0; i < count / 2 + 1; i++) {
                change(items.get(random.nextInt(count)), start + now + random.nextInt(1_000), random.nextInt(5));
            }
            assertThat(heap.size()).isEqualTo((int) waiting().count());
            fire(start + now);
        }
        fire(start + 3_000);
        assertThat(heap.size()).isZero();
        assertThat(heap.next()).isEqualTo(TimerHeap.NEVER);
    }

    private void fire(long now) {
        List<Long> expected = waiting()
                .sorted(byTime())
                .map(item -> item.wanted)
                .filter(at -> at <= now)
                .toList();
        List<Long> given = new ArrayList<>();
        for (Item due = heap.pollDue(now); due != null; due = heap.pollDue(now)) {
            given.add(due.wanted);
            due.wanted = TimerHeap.NEVER;
            assertThat(due.at()).isEqualTo(TimerHeap.NEVER);
        }
        assertThat(given).isEqualTo(expected);
        waiting()
                .min(byTime())
                .ifPresent(first -> assertThat(heap.next())
                        .as("the next call is not too late")
                        .isLessThanOrEqualTo(first.wanted));
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    @Label("has the exact time of the next call if no item was postponed")
    void saysWhen(@ForAll long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            items.add(new Item());
        }
        for (int i = 0; i < 100; i++) {
            int how = random.nextInt(4);
            change(items.get(random.nextInt(50)), random.nextInt(1_000), how == 1 ? 0 : how);
            assertThat(heap.next())
                    .isEqualTo(waiting().mapToLong(item -> item.wanted).min().orElse(TimerHeap.NEVER));
        }
    }

    @Example
    @Label("returns an item that is due at once before all others, and no unscheduled item")
    void atOnce() {
        Item later = new Item();
        Item atOnce = new Item();
        heap.schedule(later, 5);
        heap.postpone(atOnce, Long.MIN_VALUE);
        assertThat(heap.next()).isEqualTo(Long.MIN_VALUE);
        assertThat(heap.pollDue(Long.MIN_VALUE)).isSameAs(atOnce);
        assertThat(heap.pollDue(4)).isNull();
        heap.noLaterThan(atOnce, TimerHeap.NEVER);
        heap.schedule(later, TimerHeap.NEVER);
        assertThat(heap.pollDue(Long.MAX_VALUE)).isNull();
    }
}
