package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/**
 * A token bucket that limits the rate to one peer (datagram-iWARP §6.2 and §11.4, DG-11.4-5, RFC 9002 §7.7). The state
 * is the time at which all bytes sent so far would have left at the rate; a burst may be ahead of this time. If a late
 * timer delays a datagram, the next ones may catch up: in any span of time at most its share of the rate, a burst and
 * {@link #LATE_NANOS} of the rate leave. A datagram that has to wait, waits until two may leave: TCP sends at least two
 * at a time, and single datagrams would find places in a short queue that pairs do not. Owner thread only.
 */
public final class Pacer {
    /** The longest burst: short in comparison with a round trip of a wide-area network. */
    public static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // T_DEPTH

    /** The most time by which datagrams catch up after a late timer. */
    public static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2); // T_LATE

    /**
     * A path with a shorter round trip is not paced: acknowledgements come at shorter intervals than timers can fire.
     */
    private static final long PACED_FROM = TimeUnit.MILLISECONDS.toNanos(1); // T_PACED

    /** The bursts of a paced path in a round trip. */
    private static final int BURSTS_A_ROUND_TRIP = 32;

    private static final int LEAST_BURST_DATAGRAMS = 2;
    private static final double NANOS_A_SECOND = 1e9;
    private static final long NEVER = Long.MIN_VALUE;

    private long paidUntil = NEVER;
    private long burst = BURST_NANOS;
    private boolean waiting;
    /** A datagram had to wait, and none has left since. */
    private boolean refused;
    /** The time that the last datagram takes at the rate, nanoseconds. */
    private long each;

    /**
     * {@return the length of a burst on a path, nanoseconds}
     *
     * @param least the least round trip; 0 while none is known
     * @param datagram bytes of the largest datagram
     * @param rate bytes a second, more than 0
     */
    public static long burst(long least, int datagram, long rate) {
        long part = Math.min(BURST_NANOS, least / BURSTS_A_ROUND_TRIP);
        return Math.max(part, (long) (LEAST_BURST_DATAGRAMS * datagram * NANOS_A_SECOND / rate));
    }

    /** {@return whether a path with this least round trip is paced} */
    public static boolean paces(long least) {
        return least >= PACED_FROM;
    }

    /** Returns to the initial state. */
    public void begin() {
        paidUntil = NEVER;
        waiting = false;
        refused = false;
    }

    /** {@return the time at which the next datagram may leave; a time in the past if it may leave now} */
    public long admittedAt() {
        return paidUntil == NEVER ? NEVER : paidUntil - burst + (refused ? each : 0);
    }

    /** A datagram has to wait: {@link #admittedAt} is now the time at which two datagrams may leave. */
    public void waits() {
        waiting = true;
        refused = true;
    }

    /**
     * A datagram leaves.
     *
     * @param burstNanos the length of a burst, nanoseconds
     */
    public void sent(int bytes, long bytesPerSecond, long burstNanos, long nowNanos) {
        burst = burstNanos;
        long from = Math.max(paidUntil, waiting ? nowNanos - LATE_NANOS : nowNanos);
        each = (long) (bytes * NANOS_A_SECOND / bytesPerSecond);
        paidUntil = from + each;
        refused = false;
        waiting &= paidUntil < nowNanos;
    }
}
