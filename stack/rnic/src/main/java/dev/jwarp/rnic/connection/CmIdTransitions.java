package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;
import static dev.jwarp.rnic.connection.CmIdLife.State.ACCEPTING;
import static dev.jwarp.rnic.connection.CmIdLife.State.BOUND;
import static dev.jwarp.rnic.connection.CmIdLife.State.CLOSED;
import static dev.jwarp.rnic.connection.CmIdLife.State.CONNECTING;
import static dev.jwarp.rnic.connection.CmIdLife.State.ESTABLISHED;
import static dev.jwarp.rnic.connection.CmIdLife.State.GONE;
import static dev.jwarp.rnic.connection.CmIdLife.State.LISTENING;
import static dev.jwarp.rnic.connection.CmIdLife.State.NEW;
import static dev.jwarp.rnic.connection.CmIdLife.State.OVER;
import static dev.jwarp.rnic.connection.CmIdLife.State.REQUESTED;
import static dev.jwarp.rnic.connection.CmIdLife.State.RESOLVED;
import static dev.jwarp.rnic.connection.CmIdMove.ACCEPT;
import static dev.jwarp.rnic.connection.CmIdMove.ACCEPT_THREW;
import static dev.jwarp.rnic.connection.CmIdMove.ACCEPT_UNTOLD;
import static dev.jwarp.rnic.connection.CmIdMove.BIND;
import static dev.jwarp.rnic.connection.CmIdMove.CLOSE;
import static dev.jwarp.rnic.connection.CmIdMove.CONNECT;
import static dev.jwarp.rnic.connection.CmIdMove.CONNECT_THREW;
import static dev.jwarp.rnic.connection.CmIdMove.CONNECT_UNTOLD;
import static dev.jwarp.rnic.connection.CmIdMove.DISCONNECT;
import static dev.jwarp.rnic.connection.CmIdMove.END;
import static dev.jwarp.rnic.connection.CmIdMove.ESTABLISH;
import static dev.jwarp.rnic.connection.CmIdMove.FAIL;
import static dev.jwarp.rnic.connection.CmIdMove.FORGET;
import static dev.jwarp.rnic.connection.CmIdMove.GET_REQUEST;
import static dev.jwarp.rnic.connection.CmIdMove.LISTEN;
import static dev.jwarp.rnic.connection.CmIdMove.REFUSE;
import static dev.jwarp.rnic.connection.CmIdMove.RESOLVE;
import static dev.jwarp.rnic.connection.CmIdMove.RESOLVE_ROUTE;

import dev.jwarp.base.Transitions;
import java.util.List;

/**
 * The whole life of a connection id as one table, with the calls that leave it where it is. What is not in it does not
 * happen: the program is told so, and what comes late from the transport is of no interest.
 */
final class CmIdTransitions {
    static final Transitions<CmIdLife.State, CmIdMove> TABLE = new Transitions<>(
            CmIdLife.State.class,
            CmIdMove.class,
            List.of(
                    row(NEW, BIND, BOUND),
                    row(NEW, RESOLVE, RESOLVED),
                    row(BOUND, RESOLVE, RESOLVED),
                    row(RESOLVED, RESOLVE, RESOLVED),
                    row(RESOLVED, RESOLVE_ROUTE, RESOLVED),
                    row(BOUND, LISTEN, LISTENING),
                    row(LISTENING, GET_REQUEST, LISTENING),
                    row(RESOLVED, CONNECT, CONNECTING),
                    row(CONNECTING, CONNECT_THREW, RESOLVED),
                    row(REQUESTED, ACCEPT, ACCEPTING),
                    row(ACCEPTING, ACCEPT_THREW, REQUESTED),
                    row(REQUESTED, REFUSE, OVER),
                    row(CONNECTING, ESTABLISH, ESTABLISHED),
                    row(ACCEPTING, ESTABLISH, ESTABLISHED),
                    row(ESTABLISHED, CONNECT_UNTOLD, CONNECTING),
                    row(ESTABLISHED, ACCEPT_UNTOLD, ACCEPTING),
                    row(CONNECTING, DISCONNECT, CONNECTING),
                    row(ACCEPTING, DISCONNECT, ACCEPTING),
                    row(ESTABLISHED, DISCONNECT, ESTABLISHED),
                    row(CONNECTING, FAIL, OVER),
                    row(ACCEPTING, FAIL, OVER),
                    row(REQUESTED, FAIL, OVER),
                    row(CONNECTING, END, OVER),
                    row(ACCEPTING, END, OVER),
                    row(ESTABLISHED, END, OVER),
                    row(NEW, CLOSE, CLOSED),
                    row(BOUND, CLOSE, CLOSED),
                    row(RESOLVED, CLOSE, CLOSED),
                    row(LISTENING, CLOSE, CLOSED),
                    row(CONNECTING, CLOSE, CLOSED),
                    row(ACCEPTING, CLOSE, CLOSED),
                    row(ESTABLISHED, CLOSE, CLOSED),
                    row(OVER, CLOSE, CLOSED),
                    row(CLOSED, FORGET, GONE)));

    private CmIdTransitions() {}
}
