package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.datagram.SegmentMap;
import java.util.concurrent.TimeUnit;

/**
 * Measures the arrival rate of a message's segments and derives how long to wait for missing segments. Senders may be
 * paced, and do not announce their pace (datagram-iWARP §7, DG-7-11). The times of the settings are minimums. Owner
 * thread only.
 */
final class ArrivalPace {
    /** Segments needed to measure a pace. */
    private static final int TELLING = 4;

    /** Longest wait for the next segment, as a multiple of the average gap. */
    private static final int IDLE_GAPS = 8;

    /** Longest wait for the whole message, as a multiple of the time that its pace predicts. */
    private static final int PATIENCE = 2;

    /** Upper bound of the wait for a segment, so that a sender that stops does not hold resources longer. */
    private static final long LONGEST_GAP = TimeUnit.SECONDS.toNanos(1); // T_LONG_GAP

    /** Upper bound of the wait for a message, so that an endless sender does not hold resources longer. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60); // T_LONGEST

    private long first;
    private long last;

    /** The first segment arrives. */
    void begin(long nowNanos) {
        first = nowNanos;
        last = nowNanos;
    }

    /** A new segment arrives. */
    void came(long nowNanos) {
        last = nowNanos;
    }

    /**
     * {@return the time limit for the next segment}
     *
     * @param least minimum wait in nanoseconds after the last segment
     */
    long nextBy(SegmentMap arrived, long least) {
        return last + Math.max(least, Math.min(LONGEST_GAP, IDLE_GAPS * gap(arrived)));
    }

    /**
     * {@return the time limit for the next segment of a Read Response while too few segments have arrived to measure
     * its pace; a time in the past afterwards}
     *
     * @param usual wait in nanoseconds after the last segment, limited to that of a slow message
     */
    long beginsBy(SegmentMap arrived, long usual) {
        return placed(arrived) < TELLING ? last + Math.min(LONGEST_GAP, usual) : Long.MIN_VALUE;
    }

    /** {@return the latest time limit of a Read Response requested at {@code askedAt}} */
    static long longest(long askedAt) {
        return askedAt + LONGEST;
    }

    /**
     * {@return the time limit for the whole message}
     *
     * @param least minimum of the time limit
     */
    long wholeBy(SegmentMap arrived, long least) {
        return Math.max(least, first + Math.min(LONGEST, PATIENCE * gap(arrived) * (arrived.segments() - 1)));
    }

    /** {@return the average gap between segments in nanoseconds; 0 while too few have arrived} */
    private long gap(SegmentMap arrived) {
        int placed = placed(arrived);
        return placed < TELLING ? 0 : (last - first) / (placed - 1);
    }

    private static int placed(SegmentMap arrived) {
        return arrived.segments() - arrived.missing();
    }
}
