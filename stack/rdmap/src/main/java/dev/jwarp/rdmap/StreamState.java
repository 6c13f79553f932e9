package dev.jwarp.rdmap;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import java.util.List;

/** The states of a stream, in the words of the RDMA verbs. */
public enum StreamState {
    /** No connection: before start-up, or after an orderly end. A stream has one connection in its life. */
    IDLE,
    /** Ready to send: messages flow in both directions. */
    RTS,
    /** This side is closing: posted work is sent, then our direction ends. */
    CLOSING,
    /** A Terminate was sent or received: no message flows, and the connection is being closed. */
    TERMINATE,
    /** The stream failed; all work completes in error. */
    ERROR;

    /** The events that change the state of a stream. */
    enum Event {
        /** Start-up of the lower layer is complete (RFC 5040 §6.1). */
        ESTABLISHED,
        /** The program asked for an orderly end (RFC 5040 §6.2). */
        CLOSE,
        /** This side found an error and sends a Terminate (RFC 5040 §7.1). */
        TERMINATE_SENT,
        /** The peer found an error and sent a Terminate (RFC 5040 §5.4). */
        TERMINATE_RECEIVED,
        /** The program aborted the stream, or this side found an error that may not be answered. */
        FAILED,
        /** The connection ended in order. */
        LLP_CLOSED,
        /** The connection was lost or aborted (RFC 5040 §6.2.1, RFC 5044 §8). */
        LLP_LOST
    }

    /** All transitions of a stream. Any other event is refused and counted. */
    static final Transitions<StreamState, Event> TABLE = new Transitions<>(
            StreamState.class,
            Event.class,
            List.of(
                    row(IDLE, Event.ESTABLISHED, RTS),
                    row(IDLE, Event.FAILED, ERROR),
                    row(RTS, Event.CLOSE, CLOSING),
                    row(RTS, Event.TERMINATE_SENT, TERMINATE),
                    row(RTS, Event.TERMINATE_RECEIVED, TERMINATE),
                    row(RTS, Event.FAILED, ERROR),
                    row(RTS, Event.LLP_CLOSED, IDLE),
                    row(RTS, Event.LLP_LOST, ERROR),
                    row(CLOSING, Event.TERMINATE_SENT, TERMINATE),
                    row(CLOSING, Event.TERMINATE_RECEIVED, TERMINATE),
                    row(CLOSING, Event.FAILED, ERROR),
                    row(CLOSING, Event.LLP_CLOSED, IDLE),
                    row(CLOSING, Event.LLP_LOST, ERROR),
                    row(TERMINATE, Event.FAILED, ERROR),
                    row(TERMINATE, Event.LLP_CLOSED, ERROR),
                    row(TERMINATE, Event.LLP_LOST, ERROR)));
}
