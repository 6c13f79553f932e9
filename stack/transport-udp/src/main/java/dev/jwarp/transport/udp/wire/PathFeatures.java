package dev.jwarp.transport.udp.wire;

/**
 * The features of an end in PATH-PROBE and PATH-REPLY (datagram-iWARP §4.4): 32 bits; unused bits are sent as zero and
 * ignored by receivers, so that features can be added later. No state; any thread.
 */
public final class PathFeatures {
    /** Receives RD-SACK. */
    public static final int RD_SACK = 0x01;
    /** Counts ECN marks, and reports them in RD-SACK and PATH-REPLY. */
    public static final int ECN = 0x02;

    /** The features of this end. */
    public static final int OURS = RD_SACK;

    private PathFeatures() {}
}
