package dev.jwarp.transport.udp.wire;

/**
 * The extension between shim and content of an RD-PART (datagram-iWARP §4.4, DG-4.4-12): a reusable view.
 *
 * <pre>
 *  octet  0     4     8        10       12             14
 *         PSN | Ack | Window | Length | Total Length | Offset      16 octets
 * </pre>
 *
 * <p>The concatenated content of all parts of a datagram is the content of the DATA datagram between extension and CRC.
 * One thread at a time.
 */
public final class RdPartExtension extends Body {
    public static final int PSN_OFFSET = RdExtension.PSN_OFFSET;
    public static final int ACK_OFFSET = RdExtension.ACK_OFFSET;
    static final int WINDOW_OFFSET = RdExtension.WINDOW_OFFSET;
    static final int LENGTH_OFFSET = 10;
    public static final int TOTAL_OFFSET = 12;
    static final int OFFSET_OFFSET = 14;
    /** Octets of the extension. */
    public static final int LENGTH = 16;

    /** Parts begin at multiples of this number of octets, so that a bit for each unit records what was received. */
    public static final int UNIT = 64;
    /** The most octets of all parts: a DATA datagram with them has the largest UDP payload. */
    public static final int LARGEST_TOTAL = DatagramLength.LARGEST - DatagramLength.SHORTEST - RdExtension.LENGTH;

    /** {@return the octets of content in this part} */
    public int length() {
        return half(LENGTH_OFFSET);
    }

    /** {@return the octets of content of all parts} */
    public int total() {
        return half(TOTAL_OFFSET);
    }

    /** {@return the offset of this part's content in that of all parts} */
    public int offset() {
        return half(OFFSET_OFFSET);
    }

    /** {@return whether the fields are legal} DG-4.4-12. */
    boolean legal() {
        int length = length();
        int end = offset() + length;
        return half(WINDOW_OFFSET) > 0
                && offset() % UNIT == 0
                && length < total()
                && end <= total()
                && total() <= LARGEST_TOTAL
                && (end == total() || length % UNIT == 0);
    }

    /** Writes the fields that DATA does not have. */
    public void set(int length, int total, int offset) {
        buffer.putShort(at + LENGTH_OFFSET, (short) length);
        buffer.putShort(at + TOTAL_OFFSET, (short) total);
        buffer.putShort(at + OFFSET_OFFSET, (short) offset);
    }
}
