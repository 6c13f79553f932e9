package dev.jwarp.transport.udp;

import java.util.concurrent.TimeUnit;

/**
 * A token bucket: how fast one peer is sent to (datagram-iWARP §6). Kept as the time at which everything sent so far would
 * have left at that rate; a burst may be ahead of it.
 */
final class Pace {
    /** How far ahead a burst may be: short beside a round trip of a wide network. */
    static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final double NANOS_A_SECOND = 1e9;

    private long paidUntil = Long.MIN_VALUE;

    /** {@return when the next datagram may leave; a moment that has passed if it may leave now} */
    long admittedAt() {
        return paidUntil == Long.MIN_VALUE ? Long.MIN_VALUE : paidUntil - BURST_NANOS;
    }

    /** A datagram leaves. */
    void sent(int octets, long octetsPerSecond, long nowNanos) {
        paidUntil = Math.max(paidUntil, nowNanos) + (long) (octets * NANOS_A_SECOND / octetsPerSecond);
    }
}
