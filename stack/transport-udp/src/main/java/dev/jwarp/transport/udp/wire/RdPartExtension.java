package dev.jwarp.transport.udp.wire;

/**
 * What stands between shim and content of an RD-PART (datagram-iWARP §4.4, DG-4.4-12): a reusable view.
 *
 * <pre>
 *  octet  0     4     8        10       12             14
 *         PSN | Ack | Window | Length | Total Length | Offset      16 octets
 * </pre>
 *
 * <p>The content of all parts of a datagram, one behind the other, is what stands between extension and CRC of the DATA that they
 * are made of. One thread at a time.
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

    /** Parts begin at multiples of so many octets, so that a bit for each says what has come. */
    public static final int UNIT = 64;
    /** The most octets of all parts: DATA with them is as long as a UDP payload can be. */
    public static final int LARGEST_TOTAL = DatagramLength.LARGEST - DatagramLength.SHORTEST - RdExtension.LENGTH;

    /** {@return the octets of content that it states} */
    public int length() {
        return half(LENGTH_OFFSET);
    }

    /** {@return the octets of content of all parts} */
    public int total() {
        return half(TOTAL_OFFSET);
    }

    /** {@return where the content begins in that of all parts} */
    public int offset() {
        return half(OFFSET_OFFSET);
    }

    /** {@return whether these numbers can be those of a part} DG-4.4-12. */
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

    /** Writes what of it is not as in DATA. */
    public void set(int length, int total, int offset) {
        buffer.putShort(at + LENGTH_OFFSET, (short) length);
        buffer.putShort(at + TOTAL_OFFSET, (short) total);
        buffer.putShort(at + OFFSET_OFFSET, (short) offset);
    }
}
