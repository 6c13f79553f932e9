package dev.jwarp.rnic.progress;

import org.jspecify.annotations.Nullable;

/**
 * A queue whose elements threads poll or wait for: see {@link Progression#pollNext} and {@link Progression#awaitNext}.
 *
 * @param <E> type of the elements
 */
public interface Supply<E> extends Waitable {
    /** {@return the next element, which is removed; null if there is none} Any thread. */
    @Nullable
    E take();

    /** Throws CLOSED if no further element can come. */
    void checkOpen();
}
