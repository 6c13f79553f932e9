package dev.jwarp.transport.udp.wire;

/**
 * The body of an RD-OPEN and of an RD-ACCEPT (datagram-iWARP §4.4): a reusable view. Their layouts differ in one field.
 *
 * <pre>
 *  octet  0        4           8              12       14     16         20
 *         My Tag | First PSN | Previous Tag | Window | zero | Features | pad      32 octets of an RD-OPEN
 *         My Tag | First PSN | Ack          | Window | zero | Features | pad      32 octets of an RD-ACCEPT
 * </pre>
 *
 * <p>The pad is ignored: with it no answer to an RD-OPEN is longer. One thread at a time.
 */
public final class RdOpenBody extends Body {
    static final int TAG_OFFSET = 0;
    static final int FIRST_PSN_OFFSET = 4;
    static final int PREVIOUS_TAG_OR_ACK_OFFSET = 8;
    public static final int WINDOW_OFFSET = 12;
    static final int ZERO_OFFSET = 14;
    static final int FEATURES_OFFSET = 16;
    /** Octets of the body. */
    public static final int LENGTH = 32;

    /** {@return the sender's tag} */
    public int tag() {
        return buffer.getInt(at + TAG_OFFSET);
    }

    /** {@return the sender's first PSN} */
    public int firstPsn() {
        return buffer.getInt(at + FIRST_PSN_OFFSET);
    }

    /** {@return in an RD-OPEN the receiver's previous tag, or 0; in an RD-ACCEPT the PSN expected from the opener} */
    public int previousTagOrAck() {
        return buffer.getInt(at + PREVIOUS_TAG_OR_ACK_OFFSET);
    }

    /** {@return the sender's window, 0 to 65,535} */
    public int window() {
        return half(WINDOW_OFFSET);
    }

    /** {@return the features of the sender, of which this end has none: unknown bits are ignored} */
    public int features() {
        return buffer.getInt(at + FEATURES_OFFSET);
    }

    /** Writes all fields. */
    public void set(int tag, int firstPsn, int previousTagOrAck, int window) {
        buffer.putInt(at + TAG_OFFSET, tag).putInt(at + FIRST_PSN_OFFSET, firstPsn);
        buffer.putInt(at + PREVIOUS_TAG_OR_ACK_OFFSET, previousTagOrAck);
        buffer.putShort(at + WINDOW_OFFSET, (short) window).putShort(at + ZERO_OFFSET, (short) 0);
        buffer.putLong(at + FEATURES_OFFSET, 0).putLong(at + FEATURES_OFFSET + Long.BYTES, 0);
    }
}
