package dev.jwarp.sockets.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.util.List;

/**
 * The states of a connection as one table, and its use by the program. An event without a row in the table is ignored,
 * because it comes too late. Under the lock of the connection.
 */
final class SocketLife {
    /** States of the connection. */
    enum State {
        /** The connection was requested. */
        CONNECTING,
        /** Its end was requested before it was established. */
        UNWANTED,
        /** The connection is established. */
        OPEN,
        /** This end has sent everything, and the peer has time to disconnect first. */
        HELD,
        /** Its end was requested. */
        ENDING,
        /** Over, and it was never established. */
        MISSED,
        /** Over, after it was established. */
        ENDED,
        /** Over, and its resources are released. */
        RELEASED
    }

    /** Events of the connection. */
    enum Event {
        ESTABLISHED,
        ALL_SAID,
        END_WANTED,
        OVER,
        RELEASED
    }

    /** The use of the connection by its program, in this order. */
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

    /** {@return whether the event changes the state: the table has a row for it} */
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

    /** {@return whether the connection is established, or was until it ended} */
    boolean established() {
        return switch (state) {
            case OPEN, HELD, ENDING, ENDED -> true;
            case CONNECTING, UNWANTED, MISSED, RELEASED -> false;
        };
    }

    /** {@return whether there is no connection any more} */
    boolean over() {
        return switch (state) {
            case MISSED, ENDED, RELEASED -> true;
            case CONNECTING, UNWANTED, OPEN, HELD, ENDING -> false;
        };
    }

    /** The program has accepted the connection, or knows that it is established. */
    void take() {
        if (use == Use.NONE) {
            use = Use.TAKEN;
        }
    }

    /** The program, or jwarp on its behalf, no longer uses the connection. */
    void close() {
        use = Use.CLOSED;
    }

    /** {@return whether the program does not know the connection yet, but can get it} */
    boolean untaken() {
        return use == Use.NONE;
    }

    boolean closed() {
        return use == Use.CLOSED;
    }
}
