package dev.jwarp.ddp;

import java.nio.ByteBuffer;

/**
 * Where the fields of the header of an untagged DDP segment are, and methods that write this header (RFC 5041 §4.3).
 *
 * <pre>
 *  octet  0             1                   2                6          10         14
 *         T L Rsvd DV | ULP control octet | ULP word (4)   | QN (4)   | MSN (4)  | MO (4)   payload from 18
 * </pre>
 *
 * <p>Offsets count octets from the start of the header. {@link DdpSegment} reads received headers. The buffers are
 * big-endian; their position and limit do not change. No state; any thread.
 */
public final class UntaggedHeader {
    /** T, L, reserved bits and DV (RFC 5041 §4.1). */
    public static final int CONTROL_OFFSET = 0;
    /** RsvdULP bits 0 to 7 (RFC 5041 §4.3), where RDMAP has its control octet (RFC 5040 §4.1). */
    public static final int ULP_CONTROL_OFFSET = 1;
    /** RsvdULP bits 8 to 39 (RFC 5041 §4.3): the Invalidate STag of some Sends (RFC 5040 §4.3), else zero. */
    public static final int ULP_WORD_OFFSET = 2;
    /** The queue number (RFC 5041 §4.3). */
    public static final int QN_OFFSET = 6;
    /** The message sequence number (RFC 5041 §4.3). */
    public static final int MSN_OFFSET = 10;
    /** The message offset of this segment's payload (RFC 5041 §4.3). */
    public static final int MO_OFFSET = 14;
    /** Octets of the header; the payload follows it. */
    public static final int LENGTH = 18;

    private UntaggedHeader() {}

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

    /** Writes the two fields that {@link #write} leaves out: the ULP word, and the low 32 bits of the message offset. */
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
