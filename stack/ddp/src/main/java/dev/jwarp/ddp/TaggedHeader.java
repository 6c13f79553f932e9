package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header of a tagged DDP segment: a reusable view over a ULPDU. RFC 5041 §4.2.
 *
 * <pre>
 *  octet  0             1                   2                    6
 *         T L Rsvd DV | ULP control octet | STag (4 octets)    | TO (8 octets)      payload from 14
 * </pre>
 *
 * <p>Reads and writes by absolute index; position and limit of the buffer stay as they are. Setters return the view. One
 * thread at a time.
 */
public final class TaggedHeader {
    /** T, L, reserved bits and DV. */
    public static final int CONTROL_OFFSET = 0;
    /** RsvdULP: the octet of the layer above, the RDMAP control octet (RFC 5040 §4.1). */
    public static final int ULP_CONTROL_OFFSET = 1;
    /** The steering tag. */
    public static final int STAG_OFFSET = 2;
    /** The tagged offset of this segment's payload. */
    public static final int TO_OFFSET = 6;
    /** Octets of the header; the payload follows it. */
    public static final int LENGTH = 14;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(LENGTH);

    private ByteBuffer buffer = NOTHING;
    private int at;

    /** Creates a view without a header; call {@link #wrap} before any accessor. */
    public TaggedHeader() {}

    /**
     * Moves the view to another header.
     *
     * @param ulpdu big-endian
     * @param offset index of the first octet of the ULPDU
     * @param length octets of the ULPDU
     * @return false if the ULPDU is too short for the header; after true no accessor can overrun
     */
    public boolean wrap(ByteBuffer ulpdu, int offset, int length) {
        if (length < LENGTH) {
            return false;
        }
        assert ulpdu.order() == ByteOrder.BIG_ENDIAN : "headers are read from big-endian buffers";
        buffer = ulpdu;
        at = offset;
        return true;
    }

    /** {@return true if the segment is the last of its message} */
    public boolean last() {
        return (buffer.get(at + CONTROL_OFFSET) & DdpControl.LAST) != 0;
    }

    /** {@return the DDP version, 0 to 3} */
    public int version() {
        return buffer.get(at + CONTROL_OFFSET) & DdpControl.VERSION_MASK;
    }

    /** {@return the octet of the layer above, 0 to 255} */
    public int ulpControl() {
        return buffer.get(at + ULP_CONTROL_OFFSET) & 0xff;
    }

    /** {@return the steering tag} */
    public int stag() {
        return buffer.getInt(at + STAG_OFFSET);
    }

    /** {@return the tagged offset, an unsigned number of 64 bits} */
    public long taggedOffset() {
        return buffer.getLong(at + TO_OFFSET);
    }

    /** Writes the first octet: T, L as given, DV 1, reserved bits zero (RFC 5041 §4.1). */
    public TaggedHeader control(boolean last) {
        buffer.put(at + CONTROL_OFFSET, DdpControl.of(true, last));
        return this;
    }

    /** Writes the octet of the layer above. */
    public TaggedHeader ulpControl(int octet) {
        buffer.put(at + ULP_CONTROL_OFFSET, (byte) octet);
        return this;
    }

    /** Writes the steering tag. */
    public TaggedHeader stag(int stag) {
        buffer.putInt(at + STAG_OFFSET, stag);
        return this;
    }

    /** Writes the tagged offset. */
    public TaggedHeader taggedOffset(long offset) {
        buffer.putLong(at + TO_OFFSET, offset);
        return this;
    }

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
