package dev.jwarp.rdmap.datagram;

/**
 * When something ends unless it ends before: an entry of {@code DueHeap}.
 *
 * @param <T> what ends
 */
final class Deadline<T> {
    final T of;

    /** In nanoseconds. May move to later while it is in a heap. */
    long at;

    /** Its place in the heap, -1 if in none; for the heap only. */
    int place = -1;

    Deadline(T of) {
        this.of = of;
    }
}
