package dev.jwarp.transport.udp.wire;

/**
 * The body of an RD-ACK (datagram-iWARP §4.4): a reusable view.
 *
 * <pre>
 *  octet  0     4        6       7   8
 *         Ack | Window | Flags | n | n words of 64 bits      8 + 8n octets
 * </pre>
 *
 * <p>Bit i of word w, counted from the most significant, is set if PSN Ack + 1 + 64w + i has arrived. Ack itself is
 * missing by definition. One thread at a time.
 */
public final class RdAckBody extends Body {
    static final int ACK_OFFSET = 0;
    static final int WINDOW_OFFSET = 4;
    static final int FLAGS_OFFSET = 6;
    static final int COUNT_OFFSET = 7;
    static final int WORDS_OFFSET = 8;
    /** Octets of the body without words. */
    public static final int LENGTH = 8;

    /** The most words, for 1,024 PSNs. */
    public static final int MAXIMUM_WORDS = 16;
    /** The most PSNs that words cover. */
    public static final int MAXIMUM_PSNS = MAXIMUM_WORDS * Long.SIZE;
    /** Flag RNR: the datagram expected next has arrived, but the receiver lacks a resource for it. */
    public static final int NOT_READY = 0x01;

    /** {@return the octets of a body with that number of words} */
    public static int length(int words) {
        return LENGTH + words * Long.BYTES;
    }

    /** {@return the PSN expected next} */
    public int ack() {
        return buffer.getInt(at + ACK_OFFSET);
    }

    /** {@return the window, 0 to 65,535} */
    public int window() {
        return half(WINDOW_OFFSET);
    }

    /** {@return whether flag RNR is set} */
    public boolean notReady() {
        return (octet(FLAGS_OFFSET) & NOT_READY) != 0;
    }

    /** {@return the number of words} */
    public int words() {
        return octet(COUNT_OFFSET);
    }

    /** {@return word {@code index}, 0 to {@link #words} - 1} */
    public long word(int index) {
        return buffer.getLong(at + WORDS_OFFSET + index * Long.BYTES);
    }

    /** {@return whether a PSN beyond Ack has arrived} False outside of Ack + 1 to Ack + 64 · words. */
    public boolean has(int psn) {
        int distance = psn - ack() - 1; // datagram-iWARP §4.4: bit 0 of word 0 stands for Ack + 1
        return distance >= 0
                && distance >>> 6 < words()
                && (word(distance >>> 6) & (Long.MIN_VALUE >>> (distance & 63))) != 0;
    }

    /** Writes all fields but the words. */
    public void set(int ack, int window, boolean notReady, int words) {
        buffer.putInt(at + ACK_OFFSET, ack);
        buffer.putShort(at + WINDOW_OFFSET, (short) window);
        buffer.put(at + FLAGS_OFFSET, (byte) (notReady ? NOT_READY : 0));
        buffer.put(at + COUNT_OFFSET, (byte) words);
    }

    /** Writes a word. */
    public void word(int index, long bits) {
        buffer.putLong(at + WORDS_OFFSET + index * Long.BYTES, bits);
    }
}
