package dev.jwarp.transport.udp.wire;

/**
 * The body of a PATH-PROBE (datagram-iWARP §4.4, DG-4.4-10): a reusable view.
 *
 * <pre>
 *  octet  0          4       12                14     16             20     24               28         32
 *         Features | Token | Largest Payload | zero | Receive Rate | Pace | Datagrams Sent | KiB Sent | pad
 * </pre>
 *
 * <p>32 octets, and pad up to the length that is probed. With pad the body has at least {@link #LEAST_LENGTH} octets,
 * so that no answer is longer. One thread at a time.
 */
public final class PathProbeBody extends Body {
    public static final int FEATURES_OFFSET = 0;
    public static final int TOKEN_OFFSET = 4;
    static final int LARGEST_PAYLOAD_OFFSET = 12;
    static final int ZERO_OFFSET = 14;
    static final int RECEIVE_RATE_OFFSET = 16;
    static final int PACE_OFFSET = 20;
    static final int DATAGRAMS_SENT_OFFSET = 24;
    static final int KIBIBYTES_SENT_OFFSET = 28;
    /** The octets of the fields. */
    public static final int FIELDS_LENGTH = 32;
    /** The least octets of the body: with its pad a probe without extension is as long as its answer. */
    public static final int LEAST_LENGTH = PathReplyBody.LENGTH;

    /** {@return the features of the sender: bits of {@link PathFeatures}} */
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

    /** {@return the most kilobytes a second that the sender wants to receive, unsigned; 0 if unspecified} */
    public int receiveRate() {
        return buffer.getInt(at + RECEIVE_RATE_OFFSET);
    }

    /** {@return the most kilobytes a second that the sender sends, unsigned; 0 if unspecified} */
    public int pace() {
        return buffer.getInt(at + PACE_OFFSET);
    }

    /** {@return the number of DATA datagrams sent, modulo 2^32} */
    public int datagramsSent() {
        return buffer.getInt(at + DATAGRAMS_SENT_OFFSET);
    }

    /** {@return units of 1,024 octets of UDP payload sent in DATA, modulo 2^32} */
    public int kibibytesSent() {
        return buffer.getInt(at + KIBIBYTES_SENT_OFFSET);
    }

    /** Writes the fields of every probe, and zeros for the optional ones; {@link #pad} writes the pad. */
    public void set(int features, long token, int largestPayload) {
        buffer.putInt(at + FEATURES_OFFSET, features);
        buffer.putLong(at + TOKEN_OFFSET, token);
        buffer.putShort(at + LARGEST_PAYLOAD_OFFSET, (short) largestPayload);
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
        rates(0, 0);
        sent(0, 0);
    }

    /** Writes pad behind the fields: zeros, so that the body has that many octets (datagram-iWARP §17). */
    public void pad(int bodyLength) {
        for (int i = FIELDS_LENGTH; i < bodyLength; i++) {
            buffer.put(at + i, (byte) 0);
        }
    }

    /** Writes the rates, in kilobytes a second. */
    public void rates(int receiveRate, int pace) {
        buffer.putInt(at + RECEIVE_RATE_OFFSET, receiveRate).putInt(at + PACE_OFFSET, pace);
    }

    /** Writes the counts of DATA sent. */
    public void sent(int datagrams, int kibibytes) {
        buffer.putInt(at + DATAGRAMS_SENT_OFFSET, datagrams).putInt(at + KIBIBYTES_SENT_OFFSET, kibibytes);
    }
}
