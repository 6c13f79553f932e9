package dev.jwarp.sockets.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.util.List;

/**
 * The whole life of a connection as one table, and beside it what its program has to do with it. What is not in the table does not happen: what comes late is of no
 * interest. Under the lock of the connection.
 */
final class SocketLife {
    /** Of the connection. */
    enum State {
        /** It was asked for. */
        CONNECTING,
        /** Its end was asked for before it was there. */
        UNWANTED,
        /** It is there. */
        OPEN,
        /** This end has sent all, and the peer has time to disconnect first. */
        HELD,
        /** Its end was asked for. */
        ENDING,
        /** Over, and it never was there. */
        MISSED,
        /** Over. */
        ENDED,
        /** Over, and what it had is free. */
        RELEASED
    }

    /** What happens to it. */
    enum Event {
        ESTABLISHED,
        ALL_SAID,
        END_WANTED,
        OVER,
        RELEASED
    }

    /** What its program has to do with it, in this order. */
    private enum Use {
        NONE,
        TAKEN,
        CLOSED
    }

    static final Transitions<State, Event> TABLE = new Transitions<>(
            State.class,
            Event.class,
            List.of(
                    row(State.CONNECTING, Event.ESTABLISHED, State.OPEN),
                    row(State.CONNECTING, Event.END_WANTED, State.UNWANTED),
                    row(State.CONNECTING, Event.OVER, State.MISSED),
                    row(State.UNWANTED, Event.ESTABLISHED, State.ENDING),
                    row(State.UNWANTED, Event.OVER, State.MISSED),
                    row(State.OPEN, Event.ALL_SAID, State.HELD),
                    row(State.OPEN, Event.END_WANTED, State.ENDING),
                    row(State.OPEN, Event.OVER, State.ENDED),
                    row(State.HELD, Event.END_WANTED, State.ENDING),
                    row(State.HELD, Event.OVER, State.ENDED),
                    row(State.ENDING, Event.OVER, State.ENDED),
                    row(State.MISSED, Event.RELEASED, State.RELEASED),
                    row(State.ENDED, Event.RELEASED, State.RELEASED)));

    private State state = State.CONNECTING;
    private Use use = Use.NONE;

    /** {@return whether that happens now: the table has a row for it} */
    boolean move(Event event) {
        State next = TABLE.next(state, event);
        if (next == null) {
            return false;
        }
        state = next;
        return true;
    }

    State state() {
        return state;
    }

    /** {@return whether it is there, or was until it ended} */
    boolean established() {
        return switch (state) {
            case OPEN, HELD, ENDING, ENDED -> true;
            case CONNECTING, UNWANTED, MISSED, RELEASED -> false;
        };
    }

    /** {@return whether there is no connection any more} The one answer to that. */
    boolean over() {
        return switch (state) {
            case MISSED, ENDED, RELEASED -> true;
            case CONNECTING, UNWANTED, OPEN, HELD, ENDING -> false;
        };
    }

    /** The program knows that it is there. */
    void take() {
        if (use == Use.NONE) {
            use = Use.TAKEN;
        }
    }

    /** The program, or the code that decides for it, no longer wants the connection. */
    void close() {
        use = Use.CLOSED;
    }

    /** {@return whether the program has not seen it, and may yet} */
    boolean untaken() {
        return use == Use.NONE;
    }

    boolean closed() {
        return use == Use.CLOSED;
    }
}
