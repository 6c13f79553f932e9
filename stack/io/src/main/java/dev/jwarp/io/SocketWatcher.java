package dev.jwarp.io;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;

/**
 * Waits for the sockets of a loop and finds those that are ready: a selector, or an event loop of Netty. Ready sockets
 * are stored with {@link Loop#aside}. Owner only, unless stated otherwise.
 */
public interface SocketWatcher {
    /** Creates the watcher of a loop. */
    interface Maker {
        /** {@return the watcher; it keeps the loop} */
        SocketWatcher make(Loop loop) throws IOException;
    }

    /** {@return the watch of a non-blocking channel} */
    SocketWatch watch(SelectableChannel channel, int operations, LoopItem item) throws IOException;

    /** The owner begins to poll. */
    void beginPoll();

    /** The owner has polled. If work is left, or comes later, {@link #wakeup} causes another poll. */
    void endPoll();

    /** A wait of the owner has ended. */
    void endWait();

    /** Ends the current wait, or the next one at once. Any thread. */
    void wakeup();

    /** Stores ready sockets; waits for them up to {@code nanos}, and not at all if that is not positive. */
    void select(long nanos);

    /** Stores the sockets that are ready now. */
    void look();

    /**
     * {@return whether a key that the program selected belongs to the loop; it is stored then} The program's thread.
     */
    default boolean ready(SelectionKey key) {
        return false;
    }

    /** Releases closed channels, which keep their descriptors and ports until then. */
    void letGo();

    /** Waits until the channels closed so far are released; not on the thread of the loop. Any thread. */
    default void awaitLetGo() {}

    /** {@return whether the loop has its own thread or an event loop} Any thread. */
    default boolean hasThread() {
        return false;
    }

    /** {@return whether the caller is the thread of the loop, within or outside of a step} Any thread. */
    default boolean isHere() {
        return false;
    }

    /**
     * {@return false if the loop has no thread, or its thread has ended} Runs a task later on the thread of the loop.
     * Any thread.
     */
    default boolean execute(Runnable task) {
        return false;
    }

    /** Closes the watcher. */
    void close();
}
