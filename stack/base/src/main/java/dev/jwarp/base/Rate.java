package dev.jwarp.base;

import java.util.Arrays;

/**
 * How often something was done in a period: in all, and for each of those who asked. A period begins with the first one
 * after the period before is over. What was done for each is counted in three places found by a hash under a secret,
 * and the least of them is what it has had: memory is fixed, and no source can make what is counted of another
 * forgotten. A source that meets others in all three is counted with them; each period has a secret of its own, so that
 * they do not meet again. There are more places than a flood can fill. Limits are the caller's. No clock: time is
 * handed in. Owner thread only; allocates nothing after construction.
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
     * Nothing was done.
     *
     * @param places how many counts there are: a power of two, at most 2^21; 1 if only the sum matters
     * @param secret a random number, so that peers cannot choose keys that meet
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

    /** {@return how often in this period, for all} */
    public long all(long nowNanos) {
        if (all > 0 && nowNanos - began >= periodNanos) {
            Arrays.fill(places, 0);
            secret = SplitMix.mix(secret);
            all = 0;
        }
        return all;
    }

    /** {@return how often in this period for that one, or more if it shares its places} */
    public int of(long key, long nowNanos) {
        return all(nowNanos) == 0 ? 0 : least(SplitMix.hash(secret, key));
    }

    /** It is done once more, for that one. */
    public void count(long key, long nowNanos) {
        if (all(nowNanos) == 0) {
            began = nowNanos;
        }
        all++;
        long hash = SplitMix.hash(secret, key);
        int now = least(hash) + 1;
        // What is more than this one has had is of others, and stays.
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
