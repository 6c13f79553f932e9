package dev.jwarp.tools.decode;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/** How numbers are spread, to three digits: small where they are few or alike, bounded however many there are. */
final class Spread {
    /** Far beyond any size, and 13 days in nanoseconds. */
    private static final long MOST = 1L << 50;

    private final Histogram values = new PackedHistogram(3);
    private long least = MOST;
    private long largest;

    /**
     * Takes a number.
     *
     * @param value not negative; counted as 2^50 if it is more
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

    /** {@return what so many of a hundred do not exceed} */
    long percentile(double share) {
        return Math.min(largest, values.getValueAtPercentile(share));
    }

    long largest() {
        return largest;
    }
}
