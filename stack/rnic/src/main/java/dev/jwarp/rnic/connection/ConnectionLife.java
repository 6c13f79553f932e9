package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import dev.jwarp.llp.LlpEnd;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of one connection of a queue pair, and how it ended: moves along {@link State#TABLE}. Whoever wants to
 * know whether a connection has begun, ends, or is over asks this. It is moved by any thread, as the program may want its end
 * at any time; the rest belongs to the owner of the connection.
 */
final class ConnectionLife {
    /** What moves a connection from one state to another. */
    enum Event {
        /** The lower layer has begun. */
        ESTABLISHED,
        /** The program disconnects, the peer has ended its direction, or there is a Terminate, of whichever side. */
        END_WANTED,
        /** The stream has come to RDMAP's ERROR. */
        FAILED,
        /** Start-up failed. */
        NEVER_BEGAN,
        /** The lower layer is gone, and the stream has completed what it had. */
        CLOSED,
        /** The queue pair has no use for it any more. */
        RELEASED
    }

    /** How far a connection of a queue pair has come. {@link #TABLE} has the ways. */
    enum State {
        /** connect or accept was called; the lower layer has not begun. */
        BEGUN,
        /** As {@link #BEGUN}, and this side wants its end. */
        UNWANTED,
        /** The lower layer has begun. */
        OPEN,
        /** It ends in order, or a Terminate is on its way. */
        ENDING,
        /** It has failed; the lower layer is to tell of its end. */
        FAILING,
        /** The lower layer has ended or never began, and the stream completes nothing more: its last steps are done. */
        ENDED,
        /** The queue pair is free for another one. The last of its last steps may still be done, or again if they threw. */
        OVER;

        /** The whole life of a connection of a queue pair. What is not in it does not happen: it is refused. */
        static final Transitions<State, Event> TABLE = new Transitions<>(
                State.class,
                Event.class,
                List.of(
                        row(BEGUN, Event.ESTABLISHED, OPEN),
                        row(BEGUN, Event.END_WANTED, UNWANTED),
                        row(BEGUN, Event.NEVER_BEGAN, ENDED),
                        row(BEGUN, Event.CLOSED, ENDED),
                        row(BEGUN, Event.RELEASED, OVER), // the call that was to make it threw
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

        /** {@return whether it comes to its end by itself, so that it pays to wait for it} */
        boolean ending() {
            return this == UNWANTED || this == ENDING || ended();
        }

        /** {@return whether the stream has nothing to do with what is posted any more} */
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

    /** {@return whether the queue pair is free for another one} Any thread. */
    boolean over() {
        return state == State.OVER;
    }

    /** {@return false if the event is not allowed in this state: it comes too late, or too early} Any thread. */
    synchronized boolean move(Event event) {
        State next = State.TABLE.next(state, event);
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
