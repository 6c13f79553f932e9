package dev.jwarp.ddp;

import java.nio.ByteBuffer;

/**
 * Where the fields of the header of a tagged DDP segment are, and methods that write this header (RFC 5041 §4.2).
 *
 * <pre>
 *  octet  0             1                   2                    6
 *         T L Rsvd DV | ULP control octet | STag (4 octets)    | TO (8 octets)      payload from 14
 * </pre>
 *
 * <p>Offsets count octets from the start of the header. {@link DdpSegment} reads received headers. The buffers are
 * big-endian; their position and limit do not change. No state; any thread.
 */
public final class TaggedHeader {
    /** T, L, reserved bits and DV (RFC 5041 §4.1). */
    public static final int CONTROL_OFFSET = 0;
    /** RsvdULP (RFC 5041 §4.2), where RDMAP has its control octet (RFC 5040 §4.1). */
    public static final int ULP_CONTROL_OFFSET = 1;
    /** The steering tag (RFC 5041 §4.2). */
    public static final int STAG_OFFSET = 2;
    /** The tagged offset of this segment's payload (RFC 5041 §4.2). */
    public static final int TO_OFFSET = 6;
    /** Octets of the header; the payload follows it. */
    public static final int LENGTH = 14;

    private TaggedHeader() {}

    /** Writes the whole header at {@code at}: DV 1, reserved bits zero (RFC 5041 §4.1). */
    public static void write(ByteBuffer memory, int at, boolean last, int ulpControl, int stag, long taggedOffset) {
        memory.put(at + CONTROL_OFFSET, DdpControl.of(true, last));
        memory.put(at + ULP_CONTROL_OFFSET, (byte) ulpControl);
        memory.putInt(at + STAG_OFFSET, stag);
        memory.putLong(at + TO_OFFSET, taggedOffset);
    }

    /** Writes a copy of the header at {@code before}, with the tagged offset {@code octets} higher. */
    public static void writeNext(ByteBuffer memory, int before, int next, int octets) {
        memory.putLong(next, memory.getLong(before)); // includes the first octets of TO, which the next line overwrites
        memory.putLong(next + TO_OFFSET, memory.getLong(before + TO_OFFSET) + octets);
    }
}
