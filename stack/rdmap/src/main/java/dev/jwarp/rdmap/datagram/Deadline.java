package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.TimerHeap;

/**
 * When something ends unless it ends before.
 *
 * @param <T> what ends
 */
final class Deadline<T> extends TimerHeap.Entry {
    final T of;

    Deadline(T of) {
        this.of = of;
    }
}
