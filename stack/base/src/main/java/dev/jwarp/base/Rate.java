package dev.jwarp.base;

import java.util.Arrays;

/**
 * Counts actions per period, in total and per source, with fixed memory: a count-min sketch. A period begins with the
 * first action after the previous period has ended. Each source is counted in three places, found by a keyed hash; the
 * smallest of the three is its count, so no source can reset the count of another. Sources that share all three places
 * share their count; each period has a new key, so that they do not collide again. There are more places than a flood
 * can fill. The caller applies the limits. No clock: time is an argument. Owner thread only; allocates nothing after
 * construction.
 */
public final class Rate {
    /** Bits of a hash that find one place. */
    private static final int BITS = 21;

    private final long periodNanos;
    private final int[] places;
    private long secret;
    private long all;
    private long began;

    /**
     * Creates counts of zero.
     *
     * @param places number of counts: a power of two, at most 2^21; 1 if only the total is needed
     * @param secret a random number, so that peers cannot choose keys that collide
     */
    public Rate(long periodNanos, int places, long secret) {
        if (periodNanos <= 0 || Integer.bitCount(places) != 1 || places > 1 << BITS) {
            throw new IllegalArgumentException("a rate over " + periodNanos + " ns in " + places
                    + " places: a power of two is needed, at most 2^" + BITS);
        }
        this.periodNanos = periodNanos;
        this.places = new int[places];
        this.secret = secret;
    }

    /** {@return the number of actions of this period, in total} */
    public long all(long nowNanos) {
        if (all > 0 && nowNanos - began >= periodNanos) {
            Arrays.fill(places, 0);
            secret = SplitMix.mix(secret);
            all = 0;
        }
        return all;
    }

    /** {@return the number of actions of this period for that source, or more if it shares its places} */
    public int of(long key, long nowNanos) {
        return all(nowNanos) == 0 ? 0 : least(SplitMix.hash(secret, key));
    }

    /** Counts one action for that source. */
    public void count(long key, long nowNanos) {
        if (all(nowNanos) == 0) {
            began = nowNanos;
        }
        all++;
        long hash = SplitMix.hash(secret, key);
        int now = least(hash) + 1;
        // A larger value includes other sources and stays unchanged.
        raise(hash, now);
        raise(hash >>> BITS, now);
        raise(hash >>> (2 * BITS), now);
    }

    private int least(long hash) {
        return Math.min(
                places[place(hash)], Math.min(places[place(hash >>> BITS)], places[place(hash >>> (2 * BITS))]));
    }

    private void raise(long hash, int count) {
        int place = place(hash);
        places[place] = Math.max(places[place], count);
    }

    private int place(long hash) {
        return (int) hash & (places.length - 1);
    }
}
