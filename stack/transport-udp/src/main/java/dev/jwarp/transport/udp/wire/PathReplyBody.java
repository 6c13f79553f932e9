package dev.jwarp.transport.udp.wire;

/**
 * The body of a PATH-REPLY (datagram-iWARP §4.4, DG-4.4-11): a reusable view.
 *
 * <pre>
 *  octet  0          4       12       14                16                   20   24    28      30
 *         Features | Token | Length | Largest Payload | Datagrams Received | CE | ECT | Delay | zero
 * </pre>
 *
 * <p>32 octets. One thread at a time.
 */
public final class PathReplyBody extends Body {
    static final int FEATURES_OFFSET = 0;
    static final int TOKEN_OFFSET = 4;
    static final int LENGTH_RECEIVED_OFFSET = 12;
    static final int LARGEST_PAYLOAD_OFFSET = 14;
    static final int DATAGRAMS_RECEIVED_OFFSET = 16;
    static final int CE_OFFSET = 20;
    static final int ECT_OFFSET = 24;
    static final int DELAY_OFFSET = 28;
    static final int ZERO_OFFSET = 30;
    /** Octets of the body. */
    public static final int LENGTH = 32;

    /** {@return the features of the sender, of which this end has none: unknown bits are ignored} */
    public int features() {
        return buffer.getInt(at + FEATURES_OFFSET);
    }

    /** {@return the token of the probe} */
    public long token() {
        return buffer.getLong(at + TOKEN_OFFSET);
    }

    /** {@return the length of the probe as received, octets of UDP payload, 0 to 65,535} */
    public int lengthReceived() {
        return half(LENGTH_RECEIVED_OFFSET);
    }

    /** {@return the largest UDP payload that the sender takes, 0 to 65,535} */
    public int largestPayload() {
        return half(LARGEST_PAYLOAD_OFFSET);
    }

    /** {@return the number of DATA datagrams received, modulo 2^32; 0 if not counted} */
    public int datagramsReceived() {
        return buffer.getInt(at + DATAGRAMS_RECEIVED_OFFSET);
    }

    /** {@return the number of DATA datagrams received with CE, modulo 2^32} */
    public int congestionExperienced() {
        return buffer.getInt(at + CE_OFFSET);
    }

    /** {@return the number of DATA datagrams received with ECT(0) or ECT(1), modulo 2^32} */
    public int capable() {
        return buffer.getInt(at + ECT_OFFSET);
    }

    /** {@return the delay from probe to answer, in units of {@link RdAckBody#DELAY_UNIT_NANOS}} */
    public int delay() {
        return half(DELAY_OFFSET);
    }

    /** Writes the fields of every answer, and zeros for the optional ones. */
    public void set(long token, int lengthReceived, int largestPayload) {
        buffer.putInt(at + FEATURES_OFFSET, 0);
        buffer.putLong(at + TOKEN_OFFSET, token);
        buffer.putShort(at + LENGTH_RECEIVED_OFFSET, (short) lengthReceived);
        buffer.putShort(at + LARGEST_PAYLOAD_OFFSET, (short) largestPayload);
        received(0, 0, 0);
        buffer.putShort(at + DELAY_OFFSET, (short) 0);
        buffer.putShort(at + ZERO_OFFSET, (short) 0);
    }

    /** Writes the counts of DATA received from the peer, with their ECN marks. */
    public void received(int datagrams, int congestionExperienced, int capable) {
        buffer.putInt(at + DATAGRAMS_RECEIVED_OFFSET, datagrams);
        buffer.putInt(at + CE_OFFSET, congestionExperienced).putInt(at + ECT_OFFSET, capable);
    }

    /** Writes the delay in units of {@link RdAckBody#DELAY_UNIT_NANOS}. */
    public void delay(int delay) {
        buffer.putShort(at + DELAY_OFFSET, (short) delay);
    }
}
