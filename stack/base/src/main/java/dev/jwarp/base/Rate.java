package dev.jwarp.base;

import java.util.Arrays;

/**
 * How often something was done in a period: in all, and for each of those who asked. A period begins with the first one after
 * the period before is over. What was done for each is counted in places found by a hash under a secret: memory is fixed,
 * and nobody can make what is counted of another forgotten. Keys that meet in one place count as one, which is why there
 * are more places than a flood can fill. Limits are the caller's. No clock: time is handed in. Owner thread only; allocates nothing after
 * construction.
 */
public final class Rate {
    private final long periodNanos;
    private final long secret;
    private final int[] places;
    private long all;
    private long began;

    /**
     * Nothing was done.
     *
     * @param places how many counts there are: a power of two; 1 if only the sum matters
     * @param secret a random number, so that peers cannot choose keys that meet
     */
    public Rate(long periodNanos, int places, long secret) {
        if (periodNanos <= 0 || Integer.bitCount(places) != 1) {
            throw new IllegalArgumentException(
                    "a rate over " + periodNanos + " ns in " + places + " places: a power of two is needed");
        }
        this.periodNanos = periodNanos;
        this.places = new int[places];
        this.secret = secret;
    }

    /** {@return how often in this period, for all} */
    public long all(long nowNanos) {
        if (all > 0 && nowNanos - began >= periodNanos) {
            Arrays.fill(places, 0);
            all = 0;
        }
        return all;
    }

    /** {@return how often in this period for that one, or more if it shares its place} */
    public int of(long key, long nowNanos) {
        return all(nowNanos) == 0 ? 0 : places[place(key)];
    }

    /** It is done once more, for that one. */
    public void count(long key, long nowNanos) {
        if (all(nowNanos) == 0) {
            began = nowNanos;
        }
        all++;
        places[place(key)]++;
    }

    private int place(long key) {
        return (int) (SplitMix.hash(secret, key) >>> 32) & (places.length - 1);
    }
}
