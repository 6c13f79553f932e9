package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The header of an untagged DDP segment: a reusable view over a ULPDU. RFC 5041 §4.3.
 *
 * <pre>
 *  octet  0             1                   2                6          10         14
 *         T L Rsvd DV | ULP control octet | ULP word (4)   | QN (4)   | MSN (4)  | MO (4)   payload from 18
 * </pre>
 *
 * <p>Reads and writes by absolute index; position and limit of the buffer stay as they are. Setters return the view. One
 * thread at a time.
 */
public final class UntaggedHeader {
    /** T, L, reserved bits and DV. */
    public static final int CONTROL_OFFSET = 0;
    /** RsvdULP bits 0 to 7: the RDMAP control octet (RFC 5040 §4.1). */
    public static final int ULP_CONTROL_OFFSET = 1;
    /** RsvdULP bits 8 to 39: the Invalidate STag of some Sends (RFC 5040 §4.3), else zero. */
    public static final int ULP_WORD_OFFSET = 2;
    /** The queue number. */
    public static final int QN_OFFSET = 6;
    /** The message sequence number. */
    public static final int MSN_OFFSET = 10;
    /** The message offset of this segment's payload. */
    public static final int MO_OFFSET = 14;
    /** Octets of the header; the payload follows it. */
    public static final int LENGTH = 18;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(LENGTH);

    private ByteBuffer buffer = NOTHING;
    private int at;

    /** Creates a view without a header; call {@link #wrap} before any accessor. */
    public UntaggedHeader() {}

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

    /** {@return the four octets of the layer above} */
    public int ulpWord() {
        return buffer.getInt(at + ULP_WORD_OFFSET);
    }

    /** {@return the queue number, an unsigned number of 32 bits} */
    public int queueNumber() {
        return buffer.getInt(at + QN_OFFSET);
    }

    /** {@return the message sequence number, modulo 2^32} */
    public int messageSequenceNumber() {
        return buffer.getInt(at + MSN_OFFSET);
    }

    /** {@return the message offset, 0 to 2^32 - 1} */
    public long messageOffset() {
        return buffer.getInt(at + MO_OFFSET) & 0xffff_ffffL;
    }

    /** Writes the first octet: T clear, L as given, DV 1, reserved bits zero (RFC 5041 §4.1). */
    public UntaggedHeader control(boolean last) {
        buffer.put(at + CONTROL_OFFSET, DdpControl.of(false, last));
        return this;
    }

    /** Writes the octet of the layer above. */
    public UntaggedHeader ulpControl(int octet) {
        buffer.put(at + ULP_CONTROL_OFFSET, (byte) octet);
        return this;
    }

    /** Writes the four octets of the layer above. */
    public UntaggedHeader ulpWord(int word) {
        buffer.putInt(at + ULP_WORD_OFFSET, word);
        return this;
    }

    /** Writes the queue number. */
    public UntaggedHeader queueNumber(int queueNumber) {
        buffer.putInt(at + QN_OFFSET, queueNumber);
        return this;
    }

    /** Writes the message sequence number. */
    public UntaggedHeader messageSequenceNumber(int messageSequenceNumber) {
        buffer.putInt(at + MSN_OFFSET, messageSequenceNumber);
        return this;
    }

    /** Writes the message offset; its low 32 bits count. */
    public UntaggedHeader messageOffset(long messageOffset) {
        buffer.putInt(at + MO_OFFSET, (int) messageOffset);
        return this;
    }

    /**
     * Writes the header at {@code at}, except for the fields of {@link #writeRest}: DV 1, reserved bits zero (RFC 5041
     * §4.1).
     */
    public static void write(
            ByteBuffer memory, int at, boolean last, int ulpControl, int queueNumber, int messageSequenceNumber) {
        memory.put(at + CONTROL_OFFSET, DdpControl.of(false, last));
        memory.put(at + ULP_CONTROL_OFFSET, (byte) ulpControl);
        memory.putInt(at + QN_OFFSET, queueNumber);
        memory.putInt(at + MSN_OFFSET, messageSequenceNumber);
    }

    /** Writes the two fields that {@link #write} leaves out: the ULP word, and the message offset. */
    public static void writeRest(ByteBuffer memory, int at, int ulpWord, long messageOffset) {
        memory.putInt(at + ULP_WORD_OFFSET, ulpWord);
        memory.putInt(at + MO_OFFSET, (int) messageOffset);
    }

    /** Writes a copy of the header at {@code before}, with the message offset {@code octets} higher. */
    public static void writeNext(ByteBuffer memory, int before, int next, int octets) {
        memory.putLong(next, memory.getLong(before));
        memory.putLong(next + QN_OFFSET, memory.getLong(before + QN_OFFSET));
        memory.putInt(next + MO_OFFSET, memory.getInt(before + MO_OFFSET) + octets);
    }
}
