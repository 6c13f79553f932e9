package dev.jwarp.rnic.progress;

import org.jspecify.annotations.Nullable;

/**
 * What gives something to the threads that poll it or wait for it: see {@link Progression#pollNext} and {@link
 * Progression#awaitNext}.
 *
 * @param <E> what it gives
 */
public interface Supply<E> extends Waitable {
    /** {@return what there is, for this caller alone; null if there is nothing now} Any thread. */
    @Nullable
    E take();

    /** Throws CLOSED if nothing comes any more. */
    void checkOpen();
}
