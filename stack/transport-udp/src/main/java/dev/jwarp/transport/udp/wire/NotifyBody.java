package dev.jwarp.transport.udp.wire;

import dev.jwarp.llp.TerminateCode;

/**
 * The body of a NOTIFY (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0
 *         Terminate Control: Layer (4 bits) | EType (4) | Code (8) | zero (16)      4 octets
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class NotifyBody extends Body {
    public static final int CONTROL_OFFSET = 0;
    /** Octets of the body. */
    public static final int LENGTH = 4;

    /** datagram-iWARP §4.4: HdrCt and the reserved bits are zero. */
    static final int ZERO_BITS = 0xffff;

    /** {@return the Terminate Control with this code: layer and error type in the first octet, code in the second} */
    public static int controlOf(TerminateCode code) {
        return code.layer() << 28 | code.errorType() << 24 | code.errorCode() << 16; // RFC 5040 §4.8
    }

    /** {@return the Terminate Control} */
    public int control() {
        return buffer.getInt(at + CONTROL_OFFSET);
    }

    /** Writes the Terminate Control. */
    public void control(int control) {
        buffer.putInt(at + CONTROL_OFFSET, control);
    }
}
