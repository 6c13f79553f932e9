package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.TimerHeap;

/**
 * The time limit of an object in a {@link TimerHeap}.
 *
 * @param <T> the object
 */
final class Deadline<T> extends TimerHeap.Entry {
    final T of;

    Deadline(T of) {
        this.of = of;
    }
}
