package dev.jwarp.ddp.llp;

import java.nio.channels.SelectionKey;
import java.util.List;

/**
 * What makes progress: <em>inline</em> only while a thread calls {@link #poll} or {@link #await}, which is the owner of
 * everything in it meanwhile; <em>threaded</em> by threads of its own.
 */
public interface Progressing extends AutoCloseable {
    /** {@return true if progress needs {@link #poll} or {@link #await}} */
    boolean inline();

    /** {@return whether anything was done} Inline: does what can be done without waiting. One caller at a time. */
    boolean poll();

    /** {@return whether anything was done} Inline: does what can be done without input, if that is cheaper than {@link #poll}. One caller at a time. */
    default boolean flush() {
        return poll();
    }

    /** Inline: waits up to {@code nanos} for something to do, then does it. One caller at a time. */
    void await(long nanos);

    /** Inline: makes a caller inside {@link #await} return soon. Any thread. */
    void wakeup();

    /**
     * Runs {@code task} soon on a thread that moves what is in it, never within this call: on the caller's if that is one. Inline, a
     * task of another thread waits for the next {@link #poll} or {@link #await}. Where no such thread comes any more, the caller or
     * a thread of another kind runs it. Any thread; may allocate.
     */
    void later(Runnable task);

    /** {@return whether the caller is a thread that moves what is in it, and is doing so: it must not wait for anything} Any thread. */
    boolean movedHere();

    /** On a selector of the program: puts a key aside for the next {@link #poll}. Answers whether it is one of this. Its thread. */
    default boolean ready(SelectionKey key) {
        return false;
    }

    /** {@return inline: nanoseconds until it has to be polled even if nothing comes; {@link Long#MAX_VALUE} for never} One thread. */
    default long untilPoll() {
        return Long.MAX_VALUE;
    }

    /** {@return what it counts: all that it refuses, drops or gives up} Any thread. */
    default List<TransportCounter> counters() {
        return List.of();
    }

    /** Tells how much of its limits is used. Any thread. */
    default void limits(LimitSink sink) {}

    /** Ends everything that was opened with it. */
    @Override
    void close();

    /** What threads of its own move: nothing of it is to be polled, and no caller waits in it. */
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
