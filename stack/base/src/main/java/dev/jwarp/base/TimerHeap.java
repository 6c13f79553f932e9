package dev.jwarp.base;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Timers in a binary heap: a change costs the logarithm of the number of scheduled entries, and unscheduled entries
 * cost nothing. Times are nanoseconds of a clock that does not wrap, such as {@link System#nanoTime} of one process;
 * {@link Long#MIN_VALUE} is at once. The keys are stored beside the entries, so comparisons follow no reference. One
 * owner; allocates only to grow.
 *
 * @param <E> the entries
 */
public final class TimerHeap<E extends TimerHeap.Entry> {
    /** Not scheduled. */
    public static final long NEVER = Long.MAX_VALUE;

    /** An entry of at most one heap. */
    public abstract static class Entry {
        int place = -1;
        long at = NEVER;

        /** Creates an unscheduled entry. */
        protected Entry() {}

        /** {@return the scheduled time; {@link #NEVER} if unscheduled} */
        public final long at() {
            return at;
        }
    }

    /** The key of each position in the heap; never later than {@link Entry#at}. */
    private long[] keys = new long[16];

    private @Nullable E[] entries = array(16);
    private int size;

    /** Creates an empty heap. */
    public TimerHeap() {}

    @SuppressWarnings("unchecked") // an array of a generic type
    private static <E extends Entry> @Nullable E[] array(int length) {
        return (@Nullable E[]) new Entry[length];
    }

    /**
     * {@return the time of the next call, {@link #NEVER} for none} Exact, except that it may be too early after
     * {@link #postpone}.
     */
    public long next() {
        return size == 0 ? NEVER : keys[0];
    }

    /** {@return the number of scheduled entries} */
    public int size() {
        return size;
    }

    /** Schedules the entry at that time; {@link #NEVER} removes it. */
    public void schedule(E entry, long at) {
        if (at == NEVER) {
            remove(entry);
            return;
        }
        int place = entry.place;
        if (place < 0 && size == keys.length) {
            entries = Arrays.copyOf(entries, 2 * size); // throws before anything has changed
            keys = Arrays.copyOf(keys, 2 * size);
        }
        entry.at = at;
        if (place < 0) {
            up(size++, entry, at);
        } else if (keys[place] != at) {
            replace(place, entry, at);
        }
    }

    /** Schedules the entry at that time, or keeps an earlier one. */
    public void noLaterThan(E entry, long at) {
        if (at != NEVER && (entry.place < 0 || at < entry.at)) {
            schedule(entry, at);
        }
    }

    /**
     * As {@link #schedule}, but an entry that moves to a later time keeps its position until it comes to the top: for
     * timers that every message postpones.
     */
    public void postpone(E entry, long at) {
        if (entry.place < 0 || at == NEVER || at < keys[entry.place]) {
            schedule(entry, at);
        } else {
            entry.at = at;
        }
    }

    /** Unschedules the entry. */
    public void remove(E entry) {
        int place = entry.place;
        entry.at = NEVER;
        if (place < 0) {
            return;
        }
        entry.place = -1;
        size--;
        E last = entry(size);
        entries[size] = null;
        if (last != entry) {
            replace(place, last, keys[size]);
        }
    }

    /** {@return the earliest entry whose time has come, removed; null if there is none} */
    public @Nullable E pollDue(long nowNanos) {
        while (size > 0 && keys[0] <= nowNanos) {
            E top = entry(0);
            if (top.at == keys[0]) {
                remove(top);
                return top;
            }
            replace(0, top, top.at);
        }
        return null;
    }

    private void replace(int at, E entry, long key) {
        if (at > 0 && key < keys[(at - 1) / 2]) {
            up(at, entry, key);
        } else {
            down(at, entry, key);
        }
    }

    private void up(int from, E entry, long key) {
        int at = from;
        while (at > 0 && key < keys[(at - 1) / 2]) {
            int above = (at - 1) / 2;
            put(at, entry(above), keys[above]);
            at = above;
        }
        put(at, entry, key);
    }

    private void down(int from, E entry, long key) {
        int at = from;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && keys[child + 1] < keys[child]) {
                child++;
            }
            if (keys[child] >= key) {
                break;
            }
            put(at, entry(child), keys[child]);
            at = child;
        }
        put(at, entry, key);
    }

    private void put(int at, E entry, long key) {
        keys[at] = key;
        entries[at] = entry;
        entry.place = at;
    }

    private E entry(int at) {
        E entry = entries[at];
        if (entry == null) {
            throw new IllegalStateException("a heap of " + size + " has no entry " + at);
        }
        return entry;
    }
}
