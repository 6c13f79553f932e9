package dev.jwarp.verbs;

/**
 * The bytes of a message that have arrived. The map of a completion is a view: it is valid until
 * {@link WorkCompletion#release}, or until the completion is polled into again. The map from
 * {@link DatagramQueuePair#queryValidity} is a copy and stays valid. No method allocates. Bytes outside the valid
 * ranges are undefined: the earlier content of the memory, or parts of the message.
 *
 * <p>Threads: one at a time.
 */
public interface ValidityMap {
    /** Receives ranges in ascending order. */
    @FunctionalInterface
    interface Range {
        /**
         * One range.
         *
         * @param offset bytes from the start of the message
         * @param length bytes, at least 1
         */
        void accept(long offset, long length);
    }

    /** {@return the length of the whole message in bytes} */
    long length();

    /** {@return the number of bytes that have arrived} */
    long validBytes();

    /** {@return whether all bytes have arrived} */
    default boolean isComplete() {
        return validBytes() == length();
    }

    /**
     * {@return the first byte from {@code offset} on that has arrived; {@link #length} if there is none}
     *
     * @param offset 0 to {@link #length}
     */
    long nextValid(long offset);

    /**
     * {@return the first byte from {@code offset} on that has not arrived; {@link #length} if there is none}
     *
     * @param offset 0 to {@link #length}
     */
    long nextMissing(long offset);

    /**
     * {@return whether all {@code bytes} from {@code offset} on have arrived}
     *
     * @param offset bytes from the start of the message
     * @param bytes number of bytes
     */
    default boolean contains(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && bytes <= length() - offset && nextMissing(offset) - offset >= bytes;
    }

    /**
     * Passes each range that has arrived to {@code each}.
     *
     * @param each called once per range
     */
    default void forEachRange(Range each) {
        RdmaException.requireArgument(each, "each");
        long from = nextValid(0);
        while (from < length()) {
            long to = nextMissing(from);
            each.accept(from, to - from);
            from = nextValid(to);
        }
    }

    /**
     * Passes each range that has not arrived to {@code each}.
     *
     * @param each called once per range
     */
    default void forEachHole(Range each) {
        RdmaException.requireArgument(each, "each");
        long from = nextMissing(0);
        while (from < length()) {
            long to = nextValid(from);
            each.accept(from, to - from);
            from = nextMissing(to);
        }
    }

    /**
     * {@return the number of bytes that one bit of {@link #copyTo} stands for: the Segment Size of the message, at
     * least 1}
     */
    int granule();

    /**
     * Copies the map. Bit n % 64 (0 is the least significant) of word n / 64 is 1 if granule n, the {@link #granule}
     * bytes from offset n · granule on, has arrived.
     *
     * @param words filled from index 0 on
     * @return the number of words of the whole map; words beyond the end of {@code words} are not copied
     */
    int copyTo(long[] words);
}
