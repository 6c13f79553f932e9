package dev.jwarp.transport.tcp.nio;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The times of thousands of connections: a binary heap, so that a change costs a logarithm of their number, and a
 * connection that wants no call costs nothing. Owner only; allocates only to grow.
 */
final class TimerHeap {
    private @Nullable Timed[] heap = new Timed[16];
    private int size;

    /** {@return the earliest time, {@link Long#MAX_VALUE} if there is none} */
    long next() {
        return size == 0 ? Long.MAX_VALUE : at(0).timerAt;
    }

    int size() {
        return size;
    }

    /** {@return the one whose time is the earliest and has come; null if none} It has left the heap. */
    @Nullable
    Timed pollDue(long nowNanos) {
        if (size == 0 || at(0).timerAt > nowNanos) {
            return null;
        }
        Timed due = at(0);
        schedule(due, Long.MAX_VALUE);
        return due;
    }

    /** Changes the time of one; {@link Long#MAX_VALUE} takes it out. */
    void schedule(Timed item, long time) {
        if (item.timerAt == time) {
            return;
        }
        item.timerAt = time;
        if (time == Long.MAX_VALUE) {
            remove(item);
        } else if (item.timerIndex < 0) {
            if (size == heap.length) {
                heap = Arrays.copyOf(heap, 2 * size);
            }
            set(size++, item);
            up(item);
        } else {
            up(item);
            down(item);
        }
    }

    private void remove(Timed item) {
        int index = item.timerIndex;
        if (index < 0) {
            return;
        }
        item.timerIndex = -1;
        Timed last = at(--size);
        heap[size] = null;
        if (last != item) {
            set(index, last);
            up(last);
            down(last);
        }
    }

    private void up(Timed item) {
        int index = item.timerIndex;
        while (index > 0) {
            Timed parent = at((index - 1) >>> 1);
            if (parent.timerAt <= item.timerAt) {
                break;
            }
            int above = parent.timerIndex;
            set(index, parent);
            index = above;
        }
        set(index, item);
    }

    private void down(Timed item) {
        int index = item.timerIndex;
        while (true) {
            int child = 2 * index + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && at(child + 1).timerAt < at(child).timerAt) {
                child++;
            }
            if (at(child).timerAt >= item.timerAt) {
                break;
            }
            set(index, at(child));
            index = child;
        }
        set(index, item);
    }

    private void set(int index, Timed item) {
        heap[index] = item;
        item.timerIndex = index;
    }

    private Timed at(int index) {
        return Objects.requireNonNull(heap[index]);
    }
}
