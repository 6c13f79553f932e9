package dev.jwarp.transport.udp.congestion;

/** What is newly taken for lost, for a {@link CongestionControl}. Filled anew for each; valid during the call only. */
public final class LossSample {
    /** How many datagrams. */
    public int datagrams;

    /** Their bytes on the path. */
    public long bytes;

    /** Bytes under way without them. */
    public long inFlight;

    /** Bytes that the acknowledgement which shows the loss newly acknowledges: they were under way until it came. */
    public long acked;

    /** As {@link AckSample#windowLimited}. */
    public boolean windowLimited;

    /** The latest of their transmissions. */
    public int newestSerial;

    /** The serial number that the next transmission gets. */
    public int nextSerial;
}
