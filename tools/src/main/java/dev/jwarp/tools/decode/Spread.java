package dev.jwarp.tools.decode;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/** The distribution of numbers, with a precision of three digits, in bounded memory. */
final class Spread {
    /** The largest number: far beyond any size, and 13 days in nanoseconds. */
    private static final long MOST = 1L << 50;

    private final Histogram values = new PackedHistogram(3);
    private long least = MOST;
    private long largest;

    /**
     * Adds a number.
     *
     * @param value not negative; counted as 2^50 if it is larger
     */
    void add(long value) {
        long kept = Math.min(MOST, value);
        values.recordValue(kept);
        least = Math.min(least, kept);
        largest = Math.max(largest, kept);
    }

    long count() {
        return values.getTotalCount();
    }

    /** {@return the least; there must be one} */
    long least() {
        return least;
    }

    /**
     * {@return the percentile}
     *
     * @param share in percent
     */
    long percentile(double share) {
        return Math.min(largest, values.getValueAtPercentile(share));
    }

    long largest() {
        return largest;
    }
}
