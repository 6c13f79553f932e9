package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import dev.jwarp.llp.LlpEnd;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one connection of a queue pair, and the kind of its end. Transitions are in {@link State#TABLE}. Any
 * thread changes the state, because the program may end the connection at any time; the other fields belong to the
 * owner of the connection.
 */
final class ConnectionLife {
    /** An event that changes the state. */
    enum Event {
        /** The lower layer is established. */
        ESTABLISHED,
        /** The program disconnects, the peer has closed its direction, or either side sent a Terminate. */
        END_WANTED,
        /** The stream has entered the state ERROR of RDMAP. */
        FAILED,
        /** Start-up failed. */
        NEVER_BEGAN,
        /** The lower layer has ended, and the stream has completed its operations. */
        CLOSED,
        /** The queue pair has released the connection. */
        RELEASED
    }

    /** The states of a connection. {@link #TABLE} has the transitions. */
    enum State {
        /** connect or accept was called; the lower layer is not established. */
        BEGUN,
        /** As {@link #BEGUN}, but this side wants to end the connection. */
        UNWANTED,
        /** The lower layer is established. */
        OPEN,
        /** The connection ends in order, or a Terminate is being sent. */
        ENDING,
        /** The connection has failed; the end of the lower layer is awaited. */
        FAILING,
        /**
         * The lower layer has ended or was never established, and the stream completes nothing more. The last steps
         * follow.
         */
        ENDED,
        /**
         * The queue pair is free for another connection. Some last steps may still run, or run again after an
         * exception.
         */
        OVER;

        /** All transitions. Any other event is rejected. */
        static final Transitions<State, Event> TABLE = new Transitions<>(
                State.class,
                Event.class,
                List.of(
                        row(BEGUN, Event.ESTABLISHED, OPEN),
                        row(BEGUN, Event.END_WANTED, UNWANTED),
                        row(BEGUN, Event.NEVER_BEGAN, ENDED),
                        row(BEGUN, Event.CLOSED, ENDED),
                        row(BEGUN, Event.RELEASED, OVER), // connect or accept threw
                        row(UNWANTED, Event.ESTABLISHED, ENDING),
                        row(UNWANTED, Event.NEVER_BEGAN, ENDED),
                        row(UNWANTED, Event.CLOSED, ENDED),
                        row(UNWANTED, Event.RELEASED, OVER),
                        row(OPEN, Event.END_WANTED, ENDING),
                        row(OPEN, Event.FAILED, FAILING),
                        row(OPEN, Event.CLOSED, ENDED),
                        row(ENDING, Event.FAILED, FAILING),
                        row(ENDING, Event.CLOSED, ENDED),
                        row(FAILING, Event.CLOSED, ENDED),
                        row(ENDED, Event.RELEASED, OVER)));

        /** {@return whether the connection ends by itself, so that waiting for the end makes sense} */
        boolean ending() {
            return this == UNWANTED || this == ENDING || ended();
        }

        /** {@return whether the stream no longer handles posted requests} */
        boolean ended() {
            return this == ENDED || this == OVER;
        }
    }

    /** Changes under the monitor. */
    private volatile State state = State.BEGUN;

    private @Nullable LlpEnd how;
    private boolean failed;

    /** {@return the state} Any thread; a snapshot. */
    State state() {
        return state;
    }

    /** {@return whether the queue pair is free for another connection} Any thread. */
    boolean over() {
        return state == State.OVER;
    }

    /** {@return false if the event is not allowed in this state} Any thread. */
    synchronized boolean move(Event event) {
        State next = State.TABLE.next(state, event);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    /** Records the end of the lower layer, before the stream is notified. */
    void lowerGone(LlpEnd end) {
        how = end;
    }

    /** {@return how the lower layer ended; null before the end, and if it was never established} */
    @Nullable
    LlpEnd how() {
        return how;
    }

    /** Records a failure, so that the connection does not end in order. */
    void failed() {
        failed = true;
    }

    /** {@return whether the connection ended in order} */
    boolean inOrder() {
        return how == LlpEnd.GRACEFUL && !failed;
    }
}
