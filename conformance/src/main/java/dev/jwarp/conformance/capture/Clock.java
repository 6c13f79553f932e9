package dev.jwarp.conformance.capture;

/** What the time stamps of an interface mean. */
final class Clock {
    private static final long SECOND = 1_000_000_000L;

    private final long ticksPerSecond;
    private final long offsetSeconds;

    /**
     * @param resolution if_tsresol: 10 to the minus n, or with the highest bit set 2 to the minus n
     * @param offsetSeconds if_tsoffset
     */
    Clock(int resolution, long offsetSeconds) {
        int n = resolution & 0x7F;
        this.ticksPerSecond = (resolution & 0x80) != 0 ? powerOfTwo(n) : powerOfTen(n);
        this.offsetSeconds = offsetSeconds;
    }

    /** Nanoseconds since 1970; 0 if the resolution is finer than 64 bits can hold. */
    long nanos(long ticks) {
        if (ticksPerSecond == 0) {
            return 0;
        }
        long seconds = Long.divideUnsigned(ticks, ticksPerSecond);
        long rest = Long.remainderUnsigned(ticks, ticksPerSecond);
        // The product fits into a double's 53 bits, or what is lost is less than a nanosecond's share.
        long nanos = ticksPerSecond <= SECOND
                ? rest * SECOND / ticksPerSecond
                : (long) (rest * ((double) SECOND / ticksPerSecond));
        return (seconds + offsetSeconds) * SECOND + nanos;
    }

    private static long powerOfTwo(int n) {
        return n > 62 ? 0 : 1L << n;
    }

    private static long powerOfTen(int n) {
        if (n > 18) {
            return 0;
        }
        long power = 1;
        for (int i = 0; i < n; i++) {
            power *= 10;
        }
        return power;
    }
}
