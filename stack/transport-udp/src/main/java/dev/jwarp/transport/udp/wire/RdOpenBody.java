package dev.jwarp.transport.udp.wire;

/**
 * The body of an RD-OPEN (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0        4           8              12       14
 *         My Tag | First PSN | Previous Tag | Window | zero      16 octets
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class RdOpenBody extends Body {
    /** The tag that the opener chose for what it will receive, never 0. */
    public static final int TAG_OFFSET = 0;
    /** The PSN of the first datagram that the opener will send. */
    public static final int FIRST_PSN_OFFSET = 4;
    /** The receiver's tag of the channel that this one replaces, or 0. */
    public static final int PREVIOUS_TAG_OFFSET = 8;
    /** How many PSNs beyond the expected one the opener will keep, at least 1. */
    public static final int WINDOW_OFFSET = 12;
    /** Zero (16). */
    public static final int ZERO_OFFSET = 14;
    /** Octets of the body. */
    public static final int LENGTH = 16;

    /** Creates a view of nothing; {@link #wrap} it around something. */
    public RdOpenBody() {}

    /** {@return the opener's tag} */
    public int tag() {
        return buffer.getInt(at + TAG_OFFSET);
    }

    /** {@return the opener's first PSN} */
    public int firstPsn() {
        return buffer.getInt(at + FIRST_PSN_OFFSET);
    }

    /** {@return the receiver's previous tag, or 0} */
    public int previousTag() {
        return buffer.getInt(at + PREVIOUS_TAG_OFFSET);
    }

    /** {@return the opener's window, 0 to 65,535} */
    public int window() {
        return half(WINDOW_OFFSET);
    }

    /** Writes all of it. */
    public void set(int tag, int firstPsn, int previousTag, int window) {
        buffer.putInt(at + TAG_OFFSET, tag);
        buffer.putInt(at + FIRST_PSN_OFFSET, firstPsn);
        buffer.putInt(at + PREVIOUS_TAG_OFFSET, previousTag);
        buffer.putShort(at + WINDOW_OFFSET, (short) window);
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
    }
}
