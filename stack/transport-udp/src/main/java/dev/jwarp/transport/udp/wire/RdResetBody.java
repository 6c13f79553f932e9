package dev.jwarp.transport.udp.wire;

/**
 * The body of an RD-RESET (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0           1        2      4
 *         Reflected | Reason | zero | Terminate Control      8 octets
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class RdResetBody extends Body {
    static final int REFLECTED_OFFSET = 0;
    static final int REASON_OFFSET = 1;
    static final int ZERO_OFFSET = 2;
    static final int CONTROL_OFFSET = 4;
    /** Octets of the body. */
    public static final int LENGTH = 8;

    /** {@return whether the Key is the one of the datagram answered: the tag of the RESET's sender, not its receiver} */
    public boolean reflected() {
        return octet(REFLECTED_OFFSET) == 1;
    }

    /** {@return the number of the reason; {@link RdResetReason#of} names it} */
    public int reason() {
        return octet(REASON_OFFSET);
    }

    /** {@return the Terminate Control, as in {@link NotifyBody}} */
    public int control() {
        return buffer.getInt(at + CONTROL_OFFSET);
    }

    /** Writes all fields. */
    public void set(boolean reflected, RdResetReason reason, int control) {
        buffer.put(at + REFLECTED_OFFSET, (byte) (reflected ? 1 : 0));
        buffer.put(at + REASON_OFFSET, (byte) reason.number());
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
        buffer.putInt(at + CONTROL_OFFSET, control);
    }
}
