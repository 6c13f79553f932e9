package dev.jwarp.transport.udp.rd;

import java.util.concurrent.TimeUnit;

/**
 * How long the way to a peer and back takes: smoothed, its variation, and the least of the last 5 to 10 seconds. Times in
 * nanoseconds as 32-bit numbers, since there is one of these for every peer; longer than 2 seconds counts as 2 seconds.
 */
final class RoundTrip {
    private static final int FIRST_GUESS = (int) TimeUnit.MILLISECONDS.toNanos(10);
    private static final int MOST = Integer.MAX_VALUE;
    private static final int NONE = Integer.MAX_VALUE;
    private static final long PERIOD = TimeUnit.SECONDS.toNanos(5);
    private static final long PROBE_LEAST = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long PROBE_MOST = TimeUnit.SECONDS.toNanos(1);
    private static final long PROBE_SLACK = TimeUnit.MILLISECONDS.toNanos(2);

    private int smoothed = FIRST_GUESS;
    private int variation = FIRST_GUESS / 2;
    private int leastNow = NONE;
    private int leastBefore = NONE;
    private long periodEnd;
    private boolean known;

    /** Takes one measured round trip. */
    void sample(long nanos, long nowNanos) {
        int rtt = (int) Math.min(nanos, MOST);
        if (known) {
            // RFC 6298 §2.3, with its factors: an eighth of the new value, a quarter of the new deviation.
            variation += (Math.abs(smoothed - rtt) - variation) / 4;
            smoothed += (rtt - smoothed) / 8;
        } else {
            known = true;
            smoothed = rtt;
            variation = rtt / 2;
            periodEnd = nowNanos + PERIOD;
        }
        if (nowNanos - periodEnd >= 0) {
            boolean longAgo = nowNanos - periodEnd >= PERIOD;
            leastBefore = longAgo ? NONE : leastNow;
            leastNow = NONE;
            periodEnd = nowNanos + PERIOD;
        }
        leastNow = Math.min(leastNow, rtt);
    }

    /** {@return the smoothed round trip} Before the first sample a guess. */
    long smoothed() {
        return smoothed;
    }

    /** {@return the least of late, the best guess at the way without queues; 0 if nothing is known} */
    long least() {
        int least = Math.min(leastNow, leastBefore);
        return least == NONE ? 0 : least;
    }

    /** {@return how long after an ack of something sent later a datagram counts as lost} */
    long reordering() {
        return smoothed() + smoothed() / 8; // datagram-iWARP §11: 9/8 of the smoothed round trip
    }

    /** {@return how long to wait for an ack before the first probe} */
    long probe() {
        // datagram-iWARP §11: SRTT + 4 RTTVAR + 2 ms, from 5 ms to 1 s. The 2 ms are the peer's delay of acks.
        return Math.min(PROBE_MOST, Math.max(PROBE_LEAST, smoothed + 4L * variation + PROBE_SLACK));
    }

    /** {@return the wait after so many probes in a row: twice as long for each} */
    long probe(int inRow) {
        return Math.min(PROBE_MOST, probe() << Math.min(inRow, 20));
    }
}
