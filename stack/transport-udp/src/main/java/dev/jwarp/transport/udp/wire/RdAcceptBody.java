package dev.jwarp.transport.udp.wire;

/**
 * The body of an RD-ACCEPT (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0        4           8     12       14
 *         My Tag | First PSN | Ack | Window | zero      16 octets
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class RdAcceptBody extends Body {
    /** The tag that the accepter chose for what it will receive, never 0. */
    public static final int TAG_OFFSET = 0;
    /** The PSN of the first datagram that the accepter will send, or has sent. */
    public static final int FIRST_PSN_OFFSET = 4;
    /** The PSN expected of the opener: its first, or a later one if this is a repetition. */
    public static final int ACK_OFFSET = 8;
    /** How many PSNs beyond the expected one the accepter will keep, at least 1. */
    public static final int WINDOW_OFFSET = 12;
    /** Zero (16). */
    public static final int ZERO_OFFSET = 14;
    /** Octets of the body. */
    public static final int LENGTH = 16;

    /** Creates a view of nothing; {@link #wrap} it around something. */
    public RdAcceptBody() {}

    /** {@return the accepter's tag} */
    public int tag() {
        return buffer.getInt(at + TAG_OFFSET);
    }

    /** {@return the accepter's first PSN} */
    public int firstPsn() {
        return buffer.getInt(at + FIRST_PSN_OFFSET);
    }

    /** {@return the PSN expected of the opener} */
    public int ack() {
        return buffer.getInt(at + ACK_OFFSET);
    }

    /** {@return the accepter's window, 0 to 65,535} */
    public int window() {
        return half(WINDOW_OFFSET);
    }

    /** Writes all of it. */
    public void set(int tag, int firstPsn, int ack, int window) {
        buffer.putInt(at + TAG_OFFSET, tag);
        buffer.putInt(at + FIRST_PSN_OFFSET, firstPsn);
        buffer.putInt(at + ACK_OFFSET, ack);
        buffer.putShort(at + WINDOW_OFFSET, (short) window);
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
    }
}
