package dev.jwarp.verbs;

/**
 * Which bytes of a message have arrived. A view: that of a completion is valid until {@link WorkCompletion#release}, or
 * until the completion is polled into again; what {@link DatagramQueuePair#queryValidity} returns is a copy and stays.
 * Nothing here allocates. Bytes outside the valid ranges are what was in memory before, or parts of the message.
 *
 * <p>Threads: one at a time.
 */
public interface ValidityMap {
    /** Takes one range at a time, in ascending order. */
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

    /** {@return how many of them have arrived} */
    long validBytes();

    /** {@return whether all have arrived} */
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
     * @param bytes how many
     */
    default boolean contains(long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && bytes <= length() - offset && nextMissing(offset) - offset >= bytes;
    }

    /**
     * Gives the ranges that have arrived to {@code each}.
     *
     * @param each is given each range
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
     * Gives the ranges that have not arrived to {@code each}.
     *
     * @param each is given each range
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

    /** {@return how many bytes one bit of {@link #copyTo} means: the Segment Size of the message, at least 1} */
    int granule();

    /**
     * Copies the map: bit n % 64 of word n / 64, the least significant first, is 1 if the bytes from n · {@link
     * #granule} on have arrived.
     *
     * @param words filled from index 0 on
     * @return how many words the whole map has; those beyond the end of {@code words} were not copied
     */
    int copyTo(long[] words);
}
