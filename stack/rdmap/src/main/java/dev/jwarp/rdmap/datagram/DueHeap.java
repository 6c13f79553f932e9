package dev.jwarp.rdmap.datagram;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Things by the moment they end, the first one on top. An entry whose moment has moved to later stands where it was until it
 * comes to the top, so that a message which gets datagram after datagram is not moved for each of them. Owner thread only;
 * allocates while it grows, then never again.
 *
 * @param <T> what ends
 */
final class DueHeap<T> {
    /** What was said when an entry was put in its place; never later than {@link Deadline#at}. */
    private long[] keys = new long[16];

    private @Nullable Deadline<T>[] entries = array(16);
    private int size;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static <T> @Nullable Deadline<T>[] array(int length) {
        return new Deadline[length];
    }

    /** {@return when to look again, {@link Long#MAX_VALUE} for never} Possibly earlier than anything ends. */
    long next() {
        return size == 0 ? Long.MAX_VALUE : keys[0];
    }

    void add(Deadline<T> entry) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size * 2);
            entries = Arrays.copyOf(entries, size * 2);
        }
        size++;
        up(size - 1, entry, entry.at);
    }

    /** Takes an entry out; does nothing if it is in none. */
    void remove(Deadline<T> entry) {
        int at = entry.place;
        if (at < 0) {
            return;
        }
        entry.place = -1;
        size--;
        Deadline<T> last = entries[size];
        entries[size] = null;
        if (last != null && last != entry) {
            replace(at, last, keys[size]);
        }
    }

    /** {@return something whose moment has come, taken out; null if there is none} */
    @Nullable
    T poll(long nowNanos) {
        while (size > 0 && keys[0] - nowNanos <= 0) {
            Deadline<T> top = entries[0];
            if (top == null) {
                throw new IllegalStateException("a heap of " + size + " entries has a first one");
            }
            long due = top.at;
            if (due - nowNanos <= 0) {
                remove(top);
                return top.of;
            }
            replace(0, top, due);
        }
        return null;
    }

    private void replace(int at, Deadline<T> entry, long key) {
        if (at > 0 && key - keys[(at - 1) / 2] < 0) {
            up(at, entry, key);
        } else {
            down(at, entry, key);
        }
    }

    private void up(int from, Deadline<T> entry, long key) {
        int at = from;
        while (at > 0 && key - keys[(at - 1) / 2] < 0) {
            move((at - 1) / 2, at);
            at = (at - 1) / 2;
        }
        put(at, entry, key);
    }

    private void down(int from, Deadline<T> entry, long key) {
        int at = from;
        int child = 2 * at + 1;
        while (child < size) {
            if (child + 1 < size && keys[child + 1] - keys[child] < 0) {
                child++;
            }
            if (keys[child] - key >= 0) {
                break;
            }
            move(child, at);
            at = child;
            child = 2 * at + 1;
        }
        put(at, entry, key);
    }

    private void move(int from, int to) {
        Deadline<T> entry = entries[from];
        if (entry != null) {
            put(to, entry, keys[from]);
        }
    }

    private void put(int at, Deadline<T> entry, long key) {
        keys[at] = key;
        entries[at] = entry;
        entry.place = at;
    }
}
