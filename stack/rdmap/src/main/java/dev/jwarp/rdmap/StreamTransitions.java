package dev.jwarp.rdmap;

import static dev.jwarp.base.Transitions.row;
import static dev.jwarp.rdmap.StreamEvent.CLOSE;
import static dev.jwarp.rdmap.StreamEvent.ESTABLISHED;
import static dev.jwarp.rdmap.StreamEvent.FAILED;
import static dev.jwarp.rdmap.StreamEvent.LLP_CLOSED;
import static dev.jwarp.rdmap.StreamEvent.LLP_LOST;
import static dev.jwarp.rdmap.StreamEvent.TERMINATE_RECEIVED;
import static dev.jwarp.rdmap.StreamEvent.TERMINATE_SENT;
import static dev.jwarp.rdmap.StreamState.CLOSING;
import static dev.jwarp.rdmap.StreamState.ERROR;
import static dev.jwarp.rdmap.StreamState.IDLE;
import static dev.jwarp.rdmap.StreamState.RTS;
import static dev.jwarp.rdmap.StreamState.TERMINATE;

import dev.jwarp.base.Transitions;
import java.util.List;

/** The whole life of a stream as one table. What is not in it does not happen: it is refused and counted. */
final class StreamTransitions {
    static final Transitions<StreamState, StreamEvent> TABLE = new Transitions<>(
            StreamState.class,
            StreamEvent.class,
            List.of(
                    row(IDLE, ESTABLISHED, RTS),
                    row(IDLE, FAILED, ERROR),
                    row(RTS, CLOSE, CLOSING),
                    row(RTS, TERMINATE_SENT, TERMINATE),
                    row(RTS, TERMINATE_RECEIVED, TERMINATE),
                    row(RTS, FAILED, ERROR),
                    row(RTS, LLP_CLOSED, IDLE),
                    row(RTS, LLP_LOST, ERROR),
                    row(CLOSING, TERMINATE_SENT, TERMINATE),
                    row(CLOSING, TERMINATE_RECEIVED, TERMINATE),
                    row(CLOSING, FAILED, ERROR),
                    row(CLOSING, LLP_CLOSED, IDLE),
                    row(CLOSING, LLP_LOST, ERROR),
                    row(TERMINATE, FAILED, ERROR),
                    row(TERMINATE, LLP_CLOSED, ERROR),
                    row(TERMINATE, LLP_LOST, ERROR)));

    private StreamTransitions() {}
}
