package dev.jwarp.io;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * What tells a loop which of its sockets are ready, and what waits for that: a selector, or an event loop of Netty. What is ready is
 * put aside with {@link Loop#aside}. Owner only, unless said otherwise.
 */
public interface SocketWatcher {
    /** Makes the watcher of a loop. */
    interface Maker {
        /** {@return the watcher; it keeps the loop} */
        SocketWatcher make(Loop loop) throws IOException;
    }

    /** {@return the watch over a channel, which does not block} */
    SocketWatch watch(SelectableChannel channel, int operations, LoopItem item) throws IOException;

    /** The owner begins to poll. */
    void beginPoll();

    /** The owner has polled. If work is left, or comes later, {@link #wakeup} has the loop polled again. */
    void endPoll();

    /** A wait of the owner is over. */
    void endWait();

    /** Ends a wait under way, or the next one at once. Any thread. */
    void wakeup();

    /** Puts aside what is ready; waits up to {@code nanos} for that, and not at all if that is not positive. */
    void select(long nanos);

    /** Puts aside what is ready now. */
    void look();

    /** {@return whether a key that the program selected is one of the loop, which is put aside then} The program's thread. */
    default boolean ready(SelectionKey key) {
        return false;
    }

    /** A closed channel keeps its descriptor, and its port, until the watcher has let go of it: has it do so. */
    void letGo();

    /** Waits until it has let go of the channels that are closed by now; not on the thread that the loop runs on. Any thread. */
    default void awaitLetGo() {}

    /** {@return whether the loop runs on a thread of its own, or on an event loop} Any thread. */
    default boolean hasThread() {
        return false;
    }

    /** {@return whether the caller is the thread that the loop runs on, be it in a step or not} Any thread. */
    default boolean isHere() {
        return false;
    }

    /** {@return false if the loop runs on no thread of its own, or that has ended} Runs a task there, later. Any thread. */
    default boolean execute(Runnable task) {
        return false;
    }

    /** Ends it. */
    void close();
}
