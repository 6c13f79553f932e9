package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.util.List;

/** The states of a connection id. {@link #TABLE} has the transitions. */
public enum CmIdState {
    NEW,
    BOUND,
    RESOLVED,
    LISTENING,
    CONNECTING,
    REQUESTED,
    ACCEPTING,
    ESTABLISHED,
    OVER,
    CLOSED,
    /** Closed, and all clean-up is done. */
    GONE;

    /** A transition between states. */
    enum Move {
        BIND,
        RESOLVE,
        RESOLVE_ROUTE,
        LISTEN,
        GET_REQUEST,
        CONNECT,
        /** The call threw and can be repeated. */
        CONNECT_THREW,
        ACCEPT,
        /** The call threw before the transport had the answer. */
        ACCEPT_THREW,
        /** A connection request is rejected. */
        REFUSE,
        ESTABLISH,
        /** The ESTABLISHED event could not be added, so the end is reported as a failed set-up. */
        CONNECT_UNTOLD,
        ACCEPT_UNTOLD,
        DISCONNECT,
        /** The set-up failed. */
        FAIL,
        /** The connection has ended. */
        END,
        CLOSE,
        /** All clean-up of a close is done. */
        FORGET
    }

    /**
     * All transitions, including calls that do not change the state. Any other call of the program throws; any other
     * report of the transport is late and ignored.
     */
    static final Transitions<CmIdState, Move> TABLE = new Transitions<>(
            CmIdState.class,
            Move.class,
            List.of(
                    row(NEW, Move.BIND, BOUND),
                    row(NEW, Move.RESOLVE, RESOLVED),
                    row(BOUND, Move.RESOLVE, RESOLVED),
                    row(RESOLVED, Move.RESOLVE, RESOLVED),
                    row(RESOLVED, Move.RESOLVE_ROUTE, RESOLVED),
                    row(BOUND, Move.LISTEN, LISTENING),
                    row(LISTENING, Move.GET_REQUEST, LISTENING),
                    row(RESOLVED, Move.CONNECT, CONNECTING),
                    row(CONNECTING, Move.CONNECT_THREW, RESOLVED),
                    row(REQUESTED, Move.ACCEPT, ACCEPTING),
                    row(ACCEPTING, Move.ACCEPT_THREW, REQUESTED),
                    row(REQUESTED, Move.REFUSE, OVER),
                    row(CONNECTING, Move.ESTABLISH, ESTABLISHED),
                    row(ACCEPTING, Move.ESTABLISH, ESTABLISHED),
                    row(ESTABLISHED, Move.CONNECT_UNTOLD, CONNECTING),
                    row(ESTABLISHED, Move.ACCEPT_UNTOLD, ACCEPTING),
                    row(CONNECTING, Move.DISCONNECT, CONNECTING),
                    row(ACCEPTING, Move.DISCONNECT, ACCEPTING),
                    row(ESTABLISHED, Move.DISCONNECT, ESTABLISHED),
                    row(CONNECTING, Move.FAIL, OVER),
                    row(ACCEPTING, Move.FAIL, OVER),
                    row(REQUESTED, Move.FAIL, OVER),
                    row(CONNECTING, Move.END, OVER),
                    row(ACCEPTING, Move.END, OVER),
                    row(ESTABLISHED, Move.END, OVER),
                    row(NEW, Move.CLOSE, CLOSED),
                    row(BOUND, Move.CLOSE, CLOSED),
                    row(RESOLVED, Move.CLOSE, CLOSED),
                    row(LISTENING, Move.CLOSE, CLOSED),
                    row(CONNECTING, Move.CLOSE, CLOSED),
                    row(ACCEPTING, Move.CLOSE, CLOSED),
                    row(ESTABLISHED, Move.CLOSE, CLOSED),
                    row(OVER, Move.CLOSE, CLOSED),
                    row(CLOSED, Move.FORGET, GONE)));
}
