package dev.jwarp.base;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Things by the time at which each wants a call, the earliest first: a binary heap, so a change costs the logarithm of their
 * number, and one that wants no call costs nothing. Times are nanoseconds of one clock that does not wrap, such as
 * {@link System#nanoTime} of one process; {@link Long#MIN_VALUE} is at once. The keys are next to the entries, so comparing
 * follows no reference. One owner; allocates only to grow.
 *
 * @param <E> what wants calls
 */
public final class TimerHeap<E extends TimerHeap.Entry> {
    /** No time at all. */
    public static final long NEVER = Long.MAX_VALUE;

    /** Something that wants to be called at a time; in one heap at most. */
    public abstract static class Entry {
        int place = -1;
        long at = NEVER;

        /** Wants no call. */
        protected Entry() {}

        /** {@return when it wants to be called, {@link #NEVER} if not at all} */
        public final long at() {
            return at;
        }
    }

    /** What was said when an entry was put in its place; never later than {@link Entry#at}. */
    private long[] keys = new long[16];

    private @Nullable E[] entries = array(16);
    private int size;

    /** Creates an empty one. */
    public TimerHeap() {}

    @SuppressWarnings("unchecked") // an array of a generic type
    private static <E extends Entry> @Nullable E[] array(int length) {
        return (@Nullable E[]) new Entry[length];
    }

    /** {@return when to look again, {@link #NEVER} for not at all} Exact, but where {@link #postpone} was called: then it may be too early. */
    public long next() {
        return size == 0 ? NEVER : keys[0];
    }

    /** {@return how many want to be called} */
    public int size() {
        return size;
    }

    /** It wants to be called at that time and no other; {@link #NEVER} takes it out. */
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

    /** It wants to be called at that time, or earlier if it said so before. */
    public void noLaterThan(E entry, long at) {
        if (at != NEVER && (entry.place < 0 || at < entry.at)) {
            schedule(entry, at);
        }
    }

    /**
     * As {@link #schedule}, but one whose time moves to later stays where it is until it comes to the top: for what moves so
     * with each message.
     */
    public void postpone(E entry, long at) {
        if (entry.place < 0 || at == NEVER || at < keys[entry.place]) {
            schedule(entry, at);
        } else {
            entry.at = at;
        }
    }

    /** It wants no call any more. */
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

    /** {@return the one whose time is the earliest and has come, taken out; null if there is none} */
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
