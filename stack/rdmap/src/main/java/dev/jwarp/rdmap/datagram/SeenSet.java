package dev.jwarp.rdmap.datagram;

import java.util.Arrays;

/**
 * Keys of 64 bits in two generations: a key is remembered for at least one generation, and at most two. A generation
 * ends after a time, or early when it is full (datagram-iWARP §7). Open addressing, at most half full. Owner thread
 * only; allocates while it grows, then never again.
 */
final class SeenSet {
    private static final int SMALLEST = 2_048;

    private final int limit;
    private final long nanos;
    private long[] current = new long[SMALLEST];
    private long[] previous = new long[SMALLEST];
    private int size;
    private long flippedAt;
    private boolean used;
    private boolean flippedEarly;

    /**
     * Creates an empty set.
     *
     * @param limit keys of one generation
     * @param nanos time of one generation
     */
    SeenSet(int limit, long nanos) {
        if (limit < SMALLEST / 2 || limit > 1 << 24) {
            throw new IllegalArgumentException("a generation has 1024 to 2^24 keys, not " + limit);
        }
        this.limit = limit;
        this.nanos = nanos;
    }

    /** {@return the number of keys in the current generation} Any thread: a recent value. */
    int size() {
        return size;
    }

    /** {@return the maximum number of keys of one generation} */
    int limit() {
        return limit;
    }

    /** {@return whether a key is remembered} */
    boolean contains(long key, long nowNanos) {
        flipIfDue(nowNanos);
        long wanted = notZero(key);
        return find(current, wanted) || find(previous, wanted);
    }

    /** Adds a key. */
    void add(long key, long nowNanos) {
        flipIfDue(nowNanos);
        if (size == limit) {
            flippedEarly = true;
            flip(nowNanos);
        }
        if (size >= current.length / 2) {
            grow();
        }
        if (put(current, notZero(key))) {
            size++;
        }
    }

    /** {@return whether a generation has ended early since the last call} */
    boolean takeFlippedEarly() {
        boolean early = flippedEarly;
        flippedEarly = false;
        return early;
    }

    private void flipIfDue(long nowNanos) {
        if (!used) {
            used = true;
            flippedAt = nowNanos;
        } else if (nowNanos - flippedAt >= nanos) {
            boolean bothOver = nowNanos - flippedAt >= 2 * nanos;
            flip(nowNanos);
            if (bothOver) {
                flip(nowNanos);
            }
        }
    }

    private void flip(long nowNanos) {
        long[] older = previous;
        previous = current;
        if (older.length == current.length) {
            Arrays.fill(older, 0);
            current = older;
        } else {
            current = new long[previous.length];
        }
        size = 0;
        flippedAt = nowNanos;
    }

    private void grow() {
        long[] larger = new long[current.length * 2];
        for (long key : current) {
            if (key != 0) {
                put(larger, key);
            }
        }
        current = larger;
    }

    private static boolean find(long[] keys, long key) {
        int mask = keys.length - 1;
        for (int i = (int) key & mask; keys[i] != 0; i = (i + 1) & mask) {
            if (keys[i] == key) {
                return true;
            }
        }
        return false;
    }

    private static boolean put(long[] keys, long key) {
        int mask = keys.length - 1;
        int i = (int) key & mask;
        while (keys[i] != 0) {
            if (keys[i] == key) {
                return false;
            }
            i = (i + 1) & mask;
        }
        keys[i] = key;
        return true;
    }

    /** Zero marks an empty place. */
    private static long notZero(long key) {
        return key == 0 ? 1 : key;
    }
}
