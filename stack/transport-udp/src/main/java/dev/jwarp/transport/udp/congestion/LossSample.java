package dev.jwarp.transport.udp.congestion;

/**
 * Datagrams that newly count as lost, for a {@link CongestionControl}. Refilled for each call and valid during it only.
 */
public final class LossSample {
    /** The number of lost datagrams. */
    public int datagrams;

    /** Their bytes on the path. */
    public long bytes;

    /** Bytes in flight without the lost datagrams. */
    public long inFlight;

    /** Bytes that the acknowledgement which shows the loss newly acknowledges: these were in flight before. */
    public long acked;

    /** As {@link AckSample#windowLimited}. */
    public boolean windowLimited;

    /** The latest transmission of the lost datagrams. */
    public int newestSerial;

    /** The serial number that the next transmission gets. */
    public int nextSerial;
}
