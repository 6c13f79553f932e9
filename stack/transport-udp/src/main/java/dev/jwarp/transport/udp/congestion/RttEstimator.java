package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/**
 * Round-trip times of a path in nanoseconds: smoothed, variation, and the least of the last 5 to 10 seconds; and the
 * time-out for acknowledgements. Owner thread only.
 */
public final class RttEstimator {
    private static final long NONE = Long.MAX_VALUE;
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5); // T_BASE
    private static final long GRANULARITY = TimeUnit.MILLISECONDS.toNanos(1); // RFC 9002 §6.1.2
    private static final long ACK_DELAY = TimeUnit.MILLISECONDS.toNanos(2); // datagram-iWARP §14, T_ACK
    private static final long TIMEOUT_FIRST = TimeUnit.SECONDS.toNanos(1); // RFC 8961 §4 (1), RFC 6298 §2.1
    private static final long TIMEOUT_LEAST = TimeUnit.MILLISECONDS.toNanos(5); // T_PROBE
    private static final long TIMEOUT_MOST = TimeUnit.SECONDS.toNanos(60); // RFC 8961 §4 (4), RFC 6298 §2.5: not less

    private long smoothed;
    private long variation;
    private long leastNow = NONE;
    private long leastBefore = NONE;
    private long periodEnd;

    /** Takes one measured round trip. */
    public void sample(long nanos, long nowNanos) {
        long roundTrip = Math.max(1, nanos);
        if (smoothed > 0) {
            // RFC 6298 §2.3, with its factors: an eighth of the new value, a quarter of the new deviation.
            variation += (Math.abs(smoothed - roundTrip) - variation) / 4;
            smoothed = Math.max(1, smoothed + (roundTrip - smoothed) / 8);
        } else {
            smoothed = roundTrip; // RFC 6298 §2.2
            variation = roundTrip / 2;
            periodEnd = nowNanos + PERIOD;
        }
        if (nowNanos - periodEnd >= 0) {
            boolean longAgo = nowNanos - periodEnd >= PERIOD;
            leastBefore = longAgo ? NONE : leastNow;
            leastNow = NONE;
            periodEnd = nowNanos + PERIOD;
        }
        leastNow = Math.min(leastNow, roundTrip);
    }

    /** {@return the smoothed round trip; 0 before the first sample} */
    public long smoothed() {
        return smoothed;
    }

    /** {@return the least of the recent round trips, the best estimate of one without queues; 0 if none is known} */
    public long least() {
        long least = Math.min(leastNow, leastBefore);
        return least == NONE ? 0 : least;
    }

    /** {@return how long to wait for an acknowledgement} */
    public long timeout() {
        if (smoothed == 0) {
            return TIMEOUT_FIRST;
        }
        // RFC 9002 §6.2.1: SRTT + max(4 RTTVAR, granularity) + the peer's delay of acknowledgements.
        long timeout = smoothed + Math.max(4 * variation, GRANULARITY) + ACK_DELAY;
        return Math.min(TIMEOUT_MOST, Math.max(TIMEOUT_LEAST, timeout));
    }

    /** {@return the wait after so many time-outs in a row: twice as long for each} DG-11.3-4, RFC 8961 §4 (4), RFC 6298 §5.5. */
    public long timeout(int inRow) {
        return Math.min(TIMEOUT_MOST, timeout() << Math.min(inRow, 20));
    }
}
