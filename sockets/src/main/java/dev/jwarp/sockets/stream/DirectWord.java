package dev.jwarp.sockets.stream;

/**
 * The word by which the two ends of one way of a stream agree who moves bytes that are not copied. It is in the memory of the end that receives; that one changes it by a
 * compare-and-swap of its own, the end that sends by an Atomic (RFC 7306 §5.1.2). Each change adds one to its number: no value comes twice.
 *
 * <pre>
 *   bits 63 to 2: number | bits 1 and 0: 0 FREE, 1 ASKED, 2 OFFERED, 3 CLAIMED
 * </pre>
 */
final class DirectWord {
    /** Of the receiver: it asks no more. So it begins, too, with number 0. */
    static final int FREE = 0;
    /** Of the receiver: it has memory to be written to. */
    static final int ASKED = 1;
    /** Of the sender: it has memory to be read from. */
    static final int OFFERED = 2;
    /** Of the sender: it writes to the memory that the receiver has. */
    static final int CLAIMED = 3;

    private static final int STATE_BITS = 2;
    private static final int STATE = 3;

    private DirectWord() {}

    /**
     * Where the word of an end is.
     *
     * @param address by which the peer names it, a multiple of 8
     * @param key of it
     */
    record Place(long address, int key) {}

    /** {@return what comes behind a value} */
    static long next(long word, int state) {
        return (((word >>> STATE_BITS) + 1) << STATE_BITS) | state;
    }

    static int state(long word) {
        return (int) word & STATE;
    }

    /** {@return whether one value was there after another one} */
    static boolean later(long word, long than) {
        return word >>> STATE_BITS > than >>> STATE_BITS;
    }
}
