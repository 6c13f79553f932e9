package dev.jwarp.transport.udp.wire;

/**
 * The extension between shim and DDP header of DATA with flag D (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0     4     8        10
 *         PSN | Ack | Window | zero      12 octets
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class RdExtension extends Body {
    static final int PSN_OFFSET = 0;
    static final int ACK_OFFSET = 4;
    public static final int WINDOW_OFFSET = 8;
    public static final int ZERO_OFFSET = 10;
    /** Octets of the extension. */
    public static final int LENGTH = 12;

    /** {@return the PSN} */
    public int psn() {
        return buffer.getInt(at + PSN_OFFSET);
    }

    /** {@return the PSN expected next in the other direction} */
    public int ack() {
        return buffer.getInt(at + ACK_OFFSET);
    }

    /** {@return the window, 0 to 65,535} */
    public int window() {
        return half(WINDOW_OFFSET);
    }

    /** Writes all fields. */
    public void set(int psn, int ack, int window) {
        buffer.putInt(at + PSN_OFFSET, psn);
        buffer.putInt(at + ACK_OFFSET, ack);
        buffer.putShort(at + WINDOW_OFFSET, (short) window);
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
    }
}
