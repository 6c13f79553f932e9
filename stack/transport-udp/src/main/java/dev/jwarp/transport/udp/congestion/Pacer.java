package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/**
 * A token bucket: how fast one peer is sent to (datagram-iWARP §6.2 and §11.4, DG-11.4-5, RFC 9002 §7.7). Kept as the time at which everything sent so
 * far would have left at that rate; a burst may be ahead of it. What waits for its time and is sent too late, because a timer
 * was late, is made up for: within any span of time no more than its share, a burst and {@link #LATE_NANOS} of the rate leave.
 * What has to wait, waits for two: TCP sends no less at a time, and in a short queue single datagrams find the places that its
 * pairs do not.
 * Owner thread only.
 */
public final class Pacer {
    /** The longest burst: short beside a round trip of a wide network. */
    public static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** By how much a late timer is made up for. */
    public static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A path with a shorter round trip is not paced: the acknowledgements are finer than timers. */
    private static final long PACED_FROM = TimeUnit.MILLISECONDS.toNanos(1);

    /** Bursts of a paced path are this part of a round trip. */
    private static final int BURSTS_A_ROUND_TRIP = 32;

    private static final int LEAST_BURST_DATAGRAMS = 2;
    private static final double NANOS_A_SECOND = 1e9;
    private static final long NEVER = Long.MIN_VALUE;

    private long paidUntil = NEVER;
    private long burst = BURST_NANOS;
    private boolean waiting;
    /** Nothing has left since something had to wait. */
    private boolean refused;
    /** How long the datagram sent last takes at the rate. */
    private long each;

    /**
     * {@return how much time a burst may be ahead on a path, nanoseconds}
     *
     * @param least the least round trip; 0 while none is known
     * @param datagram bytes of the largest datagram
     * @param rate bytes a second, more than 0
     */
    public static long burst(long least, int datagram, long rate) {
        long part = Math.min(BURST_NANOS, least / BURSTS_A_ROUND_TRIP);
        return Math.max(part, (long) (LEAST_BURST_DATAGRAMS * datagram * NANOS_A_SECOND / rate));
    }

    /** {@return whether datagrams of a path with that least round trip are to be spread over time at all} */
    public static boolean paces(long least) {
        return least >= PACED_FROM;
    }

    /** As if nothing had been sent. */
    public void begin() {
        paidUntil = NEVER;
        waiting = false;
        refused = false;
    }

    /** {@return when the next datagram may leave; a moment that has passed if it may leave now} */
    public long admittedAt() {
        return paidUntil == NEVER ? NEVER : paidUntil - burst + (refused ? each : 0);
    }

    /** A datagram waits for {@link #admittedAt}, which from now on is when two may leave. */
    public void waits() {
        waiting = true;
        refused = true;
    }

    /** A datagram leaves, with bursts of {@link #BURST_NANOS}. */
    public void sent(int bytes, long bytesPerSecond, long nowNanos) {
        sent(bytes, bytesPerSecond, BURST_NANOS, nowNanos);
    }

    /**
     * A datagram leaves.
     *
     * @param burstNanos by how much time the next ones may be ahead
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
