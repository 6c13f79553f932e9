package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.util.List;

/** How far a connection id has come. {@link #TABLE} has the ways. */
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
    /** Closed, and nothing is left to be done for that. */
    GONE;

    /** What moves a connection id from one state to another. */
    enum Move {
        BIND,
        RESOLVE,
        RESOLVE_ROUTE,
        LISTEN,
        GET_REQUEST,
        CONNECT,
        /** The call threw: it can be made again. */
        CONNECT_THREW,
        ACCEPT,
        /** The call threw before the transport had the answer. */
        ACCEPT_THREW,
        /** A request is answered with no. */
        REFUSE,
        ESTABLISH,
        /** The program could not be told: it hears of the end as of one before the connection was established. */
        CONNECT_UNTOLD,
        ACCEPT_UNTOLD,
        DISCONNECT,
        /** The set-up came to nothing. */
        FAIL,
        /** The connection is over. */
        END,
        CLOSE,
        /** All that closing has to do is done. */
        FORGET
    }

    /**
     * The whole life of a connection id, with the calls that leave it where it is. What is not in it does not happen: the program
     * is told so, and what comes late from the transport is of no interest.
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
