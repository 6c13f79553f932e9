package dev.jwarp.transport.udp.wire;

/**
 * What ends tell each other in PATH-PROBE and PATH-REPLY that they can do (datagram-iWARP §4.4): bits of 32, the others sent
 * as zero and not looked at, so that later ones can be added. No state; any thread.
 */
public final class PathFeatures {
    /** Takes RD-SACK. */
    public static final int RD_SACK = 0x01;
    /** Counts the marks of ECN, and says so in RD-SACK and PATH-REPLY. */
    public static final int ECN = 0x02;
    /** Has keys: what is sent here has to be in an envelope, Kind 9. */
    public static final int SEALED = 0x04;
    /** Looks at the rates in PATH-PROBE and PATH-REPLY, and fills them in. */
    public static final int RATES = 0x08;
    /** Takes RD-PART. */
    public static final int RD_PARTS = 0x10;

    /** What this end can do. */
    public static final int OURS = RD_SACK | RD_PARTS;

    private PathFeatures() {}

    /** {@return what this end can do, with keys or without} */
    public static int ours(boolean sealed) {
        return sealed ? OURS | SEALED : OURS;
    }
}
