package dev.jwarp.base;

/** The finalizer of SplitMix64, and hashes made of it. */
public final class SplitMix {
    private static final long GAMMA = 0x9e37_79b9_7f4a_7c15L;

    private SplitMix() {}

    /** {@return a number of which every bit depends on every bit of the value; two values never give the same} */
    public static long mix(long value) {
        long z = value + GAMMA;
        z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }

    /**
     * {@return a hash of a number that a stranger may have chosen; two numbers never have the same}
     *
     * @param secret a random number: without it no peer can choose numbers that are close together in a table
     */
    public static long hash(long secret, long value) {
        return mix(mix(value ^ secret) + secret);
    }

    /** {@return a hash of three numbers that a stranger may have chosen, under a secret} */
    public static long hash(long secret, long first, long second, long third) {
        return hash(secret, mix(mix(first ^ secret) ^ second) ^ third);
    }
}
