package dev.jwarp.llp;

import java.nio.channels.SelectionKey;
import java.util.List;

/**
 * Something that makes progress: <em>inline</em> only while a thread calls {@link #poll} or {@link #await}, which owns
 * everything in it meanwhile; <em>threaded</em> by its own threads.
 */
public interface Progressing extends AutoCloseable {
    /** {@return true if progress needs {@link #poll} or {@link #await}} */
    boolean inline();

    /**
     * {@return whether the call did anything} Inline: does the input and output that is possible without waiting. One
     * caller at a time.
     */
    boolean poll();

    /**
     * {@return whether the call did anything} Inline: does the work that needs no input, if that is cheaper than
     * {@link #poll}. One caller at a time.
     */
    default boolean flush() {
        return poll();
    }

    /** Inline: waits up to {@code nanos} for work, then does it. One caller at a time. */
    void await(long nanos);

    /**
     * Inline: from now on only the calling thread uses this object, so it needs no locks. Other threads may still call
     * {@link #wakeup} and {@link #later}. Before any other use.
     */
    default void useOnlyHere() {}

    /** Inline: makes a caller inside {@link #await} return soon. Any thread. */
    void wakeup();

    /**
     * Runs {@code task} soon on a thread that makes progress, never within this call: on the caller's thread if it is
     * one. Inline, a task of another thread waits for the next {@link #poll} or {@link #await}. If no such thread
     * exists any more, the caller or another thread runs it. Any thread; may allocate.
     */
    void later(Runnable task);

    /** {@return whether the caller is a thread that is making progress here, so that it must not wait} Any thread. */
    boolean movedHere();

    /**
     * On a selector of the program: stores a selected key for the next {@link #poll}. Returns whether the key belongs
     * to this object. The selector's thread.
     */
    default boolean ready(SelectionKey key) {
        return false;
    }

    /**
     * {@return inline: nanoseconds until the next {@link #poll} is due even without input; {@link Long#MAX_VALUE} for
     * never} One thread.
     */
    default long untilPoll() {
        return Long.MAX_VALUE;
    }

    /** {@return the counters, including everything that is refused, dropped or abandoned} Any thread. */
    default List<TransportCounter> counters() {
        return List.of();
    }

    /** Reports the use of the limits. Any thread. */
    default void limits(LimitSink sink) {}

    /** Closes everything that was opened with it. */
    @Override
    void close();

    /** Threaded progress: nothing is to be polled, and no caller waits. */
    interface Threaded extends Progressing {
        @Override
        default boolean inline() {
            return false;
        }

        @Override
        default boolean poll() {
            return false;
        }

        @Override
        default void await(long nanos) {}

        @Override
        default void wakeup() {}

        @Override
        default boolean ready(SelectionKey key) {
            return false;
        }

        @Override
        default long untilPoll() {
            return Long.MAX_VALUE;
        }
    }
}
