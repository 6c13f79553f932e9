package dev.jwarp.transport.udp.wire;

import java.nio.ByteBuffer;

/**
 * A cookie: the body of a CHALLENGE, and the extension of a repeated question (datagram-iWARP §4.4): a reusable view.
 * The receiver of a CHALLENGE does not interpret the cookie.
 *
 * <pre>
 *  octet  0
 *         Cookie (16)      16 octets
 * </pre>
 *
 * <p>One thread at a time.
 */
public final class CookieBody extends Body {
    private static final int LOW_OFFSET = 8;
    /** Octets of a cookie. */
    public static final int LENGTH = 16;

    /** {@return the first 8 octets} */
    public long high() {
        return buffer.getLong(at);
    }

    /** {@return the last 8 octets} */
    public long low() {
        return buffer.getLong(at + LOW_OFFSET);
    }

    /** Writes a cookie, of which there must be {@link #LENGTH} octets from {@code at} on. */
    public static void write(ByteBuffer out, int at, long high, long low) {
        out.putLong(at, high).putLong(at + LOW_OFFSET, low);
    }
}
