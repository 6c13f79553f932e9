package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.datagram.SegmentMap;
import java.util.concurrent.TimeUnit;

/**
 * How fast the segments of a message come, and how long to wait for those that are missing. A sender may be paced, and its
 * pace is measured here, not told (datagram-iWARP §7, DG-7-16). The times of the settings are the least. Owner thread only.
 */
final class ArrivalPace {
    /** Segments that are needed to measure a pace. */
    private static final int TELLING = 4;

    /** A segment may come so many times later than on average. */
    private static final int IDLE_GAPS = 8;

    /** The whole message may take so many times longer than it seems to. */
    private static final int PATIENCE = 2;

    /** At most: so a sender that stops holds what it holds no longer, */
    private static final long LONGEST_GAP = TimeUnit.SECONDS.toNanos(1);

    /** nor one that never ends. */
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(60);

    private long first;
    private long last;

    /** The first segment comes. */
    void begin(long nowNanos) {
        first = nowNanos;
        last = nowNanos;
    }

    /** A segment that had not come before comes. */
    void came(long nowNanos) {
        last = nowNanos;
    }

    /**
     * {@return until when the next segment is waited for}
     *
     * @param least how long at least, nanoseconds after the last one
     */
    long nextBy(SegmentMap arrived, long least) {
        return last + Math.max(least, Math.min(LONGEST_GAP, IDLE_GAPS * gap(arrived)));
    }

    /**
     * {@return until when the next segment of an answer is waited for whose pace cannot be seen yet; a moment that has
     * passed if it can}
     *
     * @param usual how long, nanoseconds after the last one; no longer than a message that comes slowly
     */
    long beginsBy(SegmentMap arrived, long usual) {
        return placed(arrived) < TELLING ? last + Math.min(LONGEST_GAP, usual) : Long.MIN_VALUE;
    }

    /** {@return until when it is waited for at most, if it was asked for then} */
    static long longest(long askedAt) {
        return askedAt + LONGEST;
    }

    /**
     * {@return until when the whole message is waited for}
     *
     * @param least until when at least
     */
    long wholeBy(SegmentMap arrived, long least) {
        return Math.max(least, first + Math.min(LONGEST, PATIENCE * gap(arrived) * (arrived.segments() - 1)));
    }

    /** {@return nanoseconds from one segment to the next on average; 0 while too few have come} */
    private long gap(SegmentMap arrived) {
        int placed = placed(arrived);
        return placed < TELLING ? 0 : (last - first) / (placed - 1);
    }

    private static int placed(SegmentMap arrived) {
        return arrived.segments() - arrived.missing();
    }
}
