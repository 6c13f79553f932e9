package dev.jwarp.base;

/** The finalizer of SplitMix64, and hashes derived from it. */
public final class SplitMix {
    private static final long GAMMA = 0x9e37_79b9_7f4a_7c15L;

    private SplitMix() {}

    /** {@return a bijective hash of the value: every bit of the result depends on every bit of the value} */
    public static long mix(long value) {
        long z = value + GAMMA;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }

    /**
     * {@return a bijective hash of a number that a peer may have chosen}
     *
     * @param secret a random number: a peer that does not know it cannot choose numbers that collide in a table
     */
    public static long hash(long secret, long value) {
        return mix(mix(value ^ secret) + secret);
    }

    /** {@return a keyed hash of three numbers that a peer may have chosen} */
    public static long hash(long secret, long first, long second, long third) {
        return hash(secret, mix(mix(first ^ secret) ^ second) ^ third);
    }
}
