package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.llp.LlpEnd;
import org.jspecify.annotations.Nullable;

/**
 * The state of one connection of a queue pair, and how it ended: moves along {@link ConnectionTransitions}. Whoever wants to
 * know whether a connection has begun, ends, or is over asks this. It is moved by any thread, as the program may want its end
 * at any time; the rest belongs to the owner of the connection.
 */
final class ConnectionLife {
    /** Changes under the monitor. */
    private volatile ConnectionState state = ConnectionState.BEGUN;

    private @Nullable LlpEnd how;
    private boolean failed;

    /** {@return the state} Any thread; a snapshot. */
    ConnectionState state() {
        return state;
    }

    /** {@return whether the queue pair is free for another one} Any thread. */
    boolean over() {
        return state == ConnectionState.OVER;
    }

    /** {@return false if the event is not allowed in this state: it comes too late, or too early} Any thread. */
    synchronized boolean move(ConnectionEvent event) {
        ConnectionState next = ConnectionTransitions.TABLE.next(state, event);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    /** The lower layer is gone; the stream is told next. */
    void lowerGone(LlpEnd end) {
        how = end;
    }

    /** {@return how the lower layer ended; null before, and if it never began} */
    @Nullable
    LlpEnd how() {
        return how;
    }

    /** Something went wrong: it does not end in order. */
    void failed() {
        failed = true;
    }

    /** {@return whether it ended in order} */
    boolean inOrder() {
        return how == LlpEnd.GRACEFUL && !failed;
    }
}
