package dev.jwarp.transport.udp.wire;

/**
 * The body of a PATH-PROBE (datagram-iWARP §4.4, DG-4.4-10): a reusable view.
 *
 * <pre>
 *  octet  0          4       12                14     16
 *         Features | Token | Largest Payload | zero | pad
 * </pre>
 *
 * <p>16 octets, and pad up to the length that is probed. With pad the body has at least {@link #LEAST_LENGTH} octets,
 * so that no answer is longer. One thread at a time.
 */
public final class PathProbeBody extends Body {
    static final int FEATURES_OFFSET = 0;
    public static final int TOKEN_OFFSET = 4;
    static final int LARGEST_PAYLOAD_OFFSET = 12;
    static final int ZERO_OFFSET = 14;
    /** The octets of the fields. */
    public static final int FIELDS_LENGTH = 16;
    /** The least octets of the body: with its pad a probe without extension is as long as its answer. */
    public static final int LEAST_LENGTH = PathReplyBody.LENGTH;

    /** {@return the features of the sender, of which this end has none: unknown bits are ignored} */
    public int features() {
        return buffer.getInt(at + FEATURES_OFFSET);
    }

    /** {@return the token, which the answer has to repeat} */
    public long token() {
        return buffer.getLong(at + TOKEN_OFFSET);
    }

    /** {@return the largest UDP payload that the sender takes, 0 to 65,535} */
    public int largestPayload() {
        return half(LARGEST_PAYLOAD_OFFSET);
    }

    /** Writes the fields; {@link #pad} writes the pad. */
    public void set(long token, int largestPayload) {
        buffer.putInt(at + FEATURES_OFFSET, 0);
        buffer.putLong(at + TOKEN_OFFSET, token);
        buffer.putShort(at + LARGEST_PAYLOAD_OFFSET, (short) largestPayload);
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
    }

    /** Writes pad behind the fields: zeros, so that the body has that many octets (datagram-iWARP §17). */
    public void pad(int bodyLength) {
        for (int i = FIELDS_LENGTH; i < bodyLength; i++) {
            buffer.put(at + i, (byte) 0);
        }
    }
}
