package dev.jwarp.sockets.stream;

/**
 * The word by which the two ends of one direction of a stream agree which end moves zero-copy data. The word is in the
 * memory of the receiver, which changes it by a local compare-and-swap; the sender changes it by an Atomic (RFC 7306
 * §5.1.2). Each change increments the number in the word, so no value occurs twice.
 *
 * <pre>
 *   bits 63 to 2: number | bits 1 and 0: 0 FREE, 1 ASKED, 2 OFFERED, 3 CLAIMED
 * </pre>
 */
final class DirectWord {
    /** Set by the receiver: it has cancelled its ASK. Also the initial state, with number 0. */
    static final int FREE = 0;
    /** Set by the receiver: it has memory that the sender can write to. */
    static final int ASKED = 1;
    /** Set by the sender: it has memory that the receiver can read. */
    static final int OFFERED = 2;
    /** Set by the sender: it writes to the memory of the receiver. */
    static final int CLAIMED = 3;

    private static final int STATE_BITS = 2;
    private static final int STATE = 3;

    private DirectWord() {}

    /**
     * The location of the word of an end.
     *
     * @param address of the word for the peer, a multiple of 8
     * @param key STag of the word
     */
    record Place(long address, int key) {}

    /** {@return the next value after {@code word}, with a state} */
    static long next(long word, int state) {
        return (((word >>> STATE_BITS) + 1) << STATE_BITS) | state;
    }

    static int state(long word) {
        return (int) word & STATE;
    }

    /** {@return whether the first value is later than the second} */
    static boolean later(long word, long than) {
        return word >>> STATE_BITS > than >>> STATE_BITS;
    }
}
