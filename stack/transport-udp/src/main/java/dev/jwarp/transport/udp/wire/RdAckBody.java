package dev.jwarp.transport.udp.wire;

/**
 * The body of an RD-ACK (datagram-iWARP §4.4, DG-4.4-6): a reusable view.
 *
 * <pre>
 *  octet  0     4        6       7   8            10      12     16   20    24           28               32
 *         Ack | Window | Flags | n | First Word | Delay | Echo | CE | ECT | Duplicates | Last Duplicate | n words
 * </pre>
 *
 * <p>32 + 8n octets. Bit i of word w, counted from the most significant, is set if PSN Ack + 1 + 64 (First Word + w) +
 * i has arrived. Ack itself is missing by definition. The Message Id of the shim numbers the RD-ACKs of the channel
 * and direction. One thread at a time.
 */
public final class RdAckBody extends Body {
    static final int ACK_OFFSET = 0;
    static final int WINDOW_OFFSET = 4;
    static final int FLAGS_OFFSET = 6;
    static final int COUNT_OFFSET = 7;
    static final int FIRST_WORD_OFFSET = 8;
    static final int DELAY_OFFSET = 10;
    static final int ECHO_OFFSET = 12;
    static final int CE_OFFSET = 16;
    static final int ECT_OFFSET = 20;
    static final int DUPLICATES_OFFSET = 24;
    static final int LAST_DUPLICATE_OFFSET = 28;
    static final int WORDS_OFFSET = 32;
    /** Octets of the body without words. */
    public static final int LENGTH = 32;

    /** The most words, for 8,192 PSNs. */
    public static final int MAXIMUM_WORDS = 128;
    /** One more than the highest number of a word: the words cover 65,536 PSNs, more than any window. */
    public static final int WORD_LIMIT = 1024;
    /** Flag RNR: the datagram expected next has arrived, but the receiver lacks a resource for it. */
    public static final int NOT_READY = 0x01;
    /** Flag: CE and ECT are valid; without it both are zero. */
    public static final int ECN_VALID = 0x02;
    /** Nanoseconds of one unit of the delay. */
    public static final int DELAY_UNIT_NANOS = 16_000;

    /** The largest value of the delay. */
    public static final int LONGEST_DELAY = 0xffff;

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

    /** {@return whether {@link #congestionExperienced} and {@link #capable} are valid} */
    public boolean countsEcn() {
        return (octet(FLAGS_OFFSET) & ECN_VALID) != 0;
    }

    /** {@return the number of words} */
    public int words() {
        return octet(COUNT_OFFSET);
    }

    /** {@return the number of the first word, 0 to 65,535} */
    public int firstWord() {
        return half(FIRST_WORD_OFFSET);
    }

    /**
     * {@return the time since the echoed datagram came, in units of {@link #DELAY_UNIT_NANOS}; 65,535: that long or
     * longer}
     */
    public int delay() {
        return half(DELAY_OFFSET);
    }

    /** {@return the PSN of the datagram received last} */
    public int echo() {
        return buffer.getInt(at + ECHO_OFFSET);
    }

    /** {@return the number of datagrams received with CE, modulo 2^32} */
    public int congestionExperienced() {
        return buffer.getInt(at + CE_OFFSET);
    }

    /** {@return the number of datagrams received with ECT(0) or ECT(1), modulo 2^32} */
    public int capable() {
        return buffer.getInt(at + ECT_OFFSET);
    }

    /** {@return the number of duplicates received, modulo 2^32} */
    public int duplicates() {
        return buffer.getInt(at + DUPLICATES_OFFSET);
    }

    /** {@return the PSN of the last duplicate; meaningless without duplicates} */
    public int lastDuplicate() {
        return buffer.getInt(at + LAST_DUPLICATE_OFFSET);
    }

    /** {@return word {@code index}, 0 to {@link #words} - 1} */
    public long word(int index) {
        return buffer.getLong(at + WORDS_OFFSET + index * Long.BYTES);
    }

    /** Writes Ack, Window, flags and the number of words; the first word has the number {@code firstWord}. */
    public void set(int ack, int window, boolean notReady, int firstWord, int words) {
        buffer.putInt(at + ACK_OFFSET, ack);
        buffer.putShort(at + WINDOW_OFFSET, (short) window);
        buffer.put(at + FLAGS_OFFSET, (byte) (notReady ? NOT_READY : 0));
        buffer.put(at + COUNT_OFFSET, (byte) words);
        buffer.putShort(at + FIRST_WORD_OFFSET, (short) firstWord);
        buffer.putInt(at + CE_OFFSET, 0).putInt(at + ECT_OFFSET, 0);
    }

    /** Writes PSN and age of the datagram received last, the age in units of {@link #DELAY_UNIT_NANOS}. */
    public void echo(int psn, int delay) {
        buffer.putShort(at + DELAY_OFFSET, (short) delay);
        buffer.putInt(at + ECHO_OFFSET, psn);
    }

    /** Writes the number of duplicates, and the PSN of the last one. */
    public void duplicates(int count, int last) {
        buffer.putInt(at + DUPLICATES_OFFSET, count);
        buffer.putInt(at + LAST_DUPLICATE_OFFSET, last);
    }

    /** Writes the counts of ECN marks, and sets their flag. After {@link #set}, which clears the flag. */
    public void ecn(int congestionExperienced, int capable) {
        buffer.put(at + FLAGS_OFFSET, (byte) (octet(FLAGS_OFFSET) | ECN_VALID));
        buffer.putInt(at + CE_OFFSET, congestionExperienced);
        buffer.putInt(at + ECT_OFFSET, capable);
    }

    /** Writes a word. */
    public void word(int index, long bits) {
        buffer.putLong(at + WORDS_OFFSET + index * Long.BYTES, bits);
    }
}
