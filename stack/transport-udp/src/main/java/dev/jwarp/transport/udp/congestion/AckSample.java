package dev.jwarp.transport.udp.congestion;

/**
 * What one acknowledgement tells a {@link CongestionControl}. Filled anew for each; valid during the call only. Transmissions
 * are named by serial numbers (RFC 1982) that the sender counts from 0 at {@link CongestionControl#begin}.
 */
public final class AckSample {
    /** There was no round trip to measure. */
    public static final long NO_ROUND_TRIP = -1;

    /** The time, nanoseconds. */
    public long now;

    /** Bytes on the path that it newly acknowledges, repetitions once. */
    public long ackedBytes;

    /** Bytes under way after it; what counts as lost is not. */
    public long inFlight;

    /** The round trip that it measured, nanoseconds, or {@link #NO_ROUND_TRIP}. */
    public long roundTrip = NO_ROUND_TRIP;

    /** The smoothed round trip, nanoseconds; 0 while none is known. */
    public long smoothed;

    /** The least round trip of the last seconds, nanoseconds; 0 while none is known. */
    public long least;

    /** The latest transmission that surely has arrived. */
    public int newestSerial;

    /** The serial number that the next transmission gets. */
    public int nextSerial;

    /** Whether the window, or the pace that follows from it, has kept data back in this round trip or the one before. */
    public boolean windowLimited;

    /** SafeACK of RFC 9937 §6.2: it acknowledges the oldest that was under way, and shows no loss. */
    public boolean safe;
}
