package dev.jwarp.transport.udp.congestion;

/**
 * One acknowledgement, for a {@link CongestionControl}. Refilled for each acknowledgement; valid during the call only.
 * Transmissions are named by serial numbers (RFC 1982) that the sender counts from 0 at {@link
 * CongestionControl#begin}.
 */
public final class AckSample {
    /** There was no round trip to measure. */
    public static final long NO_ROUND_TRIP = -1;

    /** The time, nanoseconds. */
    public long now;

    /** Bytes on the path that this acknowledgement newly acknowledges; a repeated datagram counts once. */
    public long ackedBytes;

    /** Bytes in flight after this acknowledgement, without datagrams that count as lost. */
    public long inFlight;

    /** The measured round trip, nanoseconds, or {@link #NO_ROUND_TRIP}. */
    public long roundTrip = NO_ROUND_TRIP;

    /** The smoothed round trip, nanoseconds; 0 while none is known. */
    public long smoothed;

    /** The least round trip of the last seconds, nanoseconds; 0 while none is known. */
    public long least;

    /** The latest transmission that is known to have arrived. */
    public int newestSerial;

    /** The serial number that the next transmission gets. */
    public int nextSerial;

    /** Whether the window, or the pace that follows from it, has kept data back in this round trip or the one before. */
    public boolean windowLimited;

    /** SafeACK of RFC 9937 §6.2: the oldest datagram in flight is acknowledged, and no loss is shown. */
    public boolean safe;
}
