package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;
import static dev.jwarp.rnic.connection.QueuePairEvent.BEGUN;
import static dev.jwarp.rnic.connection.QueuePairEvent.CLOSE;
import static dev.jwarp.rnic.connection.QueuePairEvent.ESTABLISHED;
import static dev.jwarp.rnic.connection.QueuePairEvent.FORGOTTEN;
import static dev.jwarp.rnic.connection.QueuePairEvent.MODIFY_TO_ERR;
import static dev.jwarp.rnic.connection.QueuePairEvent.MODIFY_TO_INIT;
import static dev.jwarp.rnic.connection.QueuePairEvent.MODIFY_TO_RESET;
import static dev.jwarp.rnic.connection.QueuePairEvent.MODIFY_TO_RTS;
import static dev.jwarp.rnic.connection.QueuePairEvent.MODIFY_TO_SQD;
import static dev.jwarp.rnic.connection.QueuePairEvent.RELEASED;
import static dev.jwarp.rnic.connection.QueuePairEvent.STREAM_ENDS;
import static dev.jwarp.rnic.connection.QueuePairEvent.UNBEGUN;
import static dev.jwarp.rnic.connection.QueuePairPhase.CLOSED;
import static dev.jwarp.rnic.connection.QueuePairPhase.ENDING;
import static dev.jwarp.rnic.connection.QueuePairPhase.ERR;
import static dev.jwarp.rnic.connection.QueuePairPhase.GONE;
import static dev.jwarp.rnic.connection.QueuePairPhase.INIT;
import static dev.jwarp.rnic.connection.QueuePairPhase.RESET;
import static dev.jwarp.rnic.connection.QueuePairPhase.RTR;
import static dev.jwarp.rnic.connection.QueuePairPhase.RTS;
import static dev.jwarp.rnic.connection.QueuePairPhase.SQD;

import dev.jwarp.base.Transitions;
import java.util.List;

/** The whole life of a queue pair of type RC as one table. What is not in it does not happen: it is refused. */
final class QueuePairTransitions {
    static final Transitions<QueuePairPhase, QueuePairEvent> TABLE = new Transitions<>(
            QueuePairPhase.class,
            QueuePairEvent.class,
            List.of(
                    row(RESET, MODIFY_TO_RESET, RESET),
                    row(RESET, MODIFY_TO_INIT, INIT),
                    row(RESET, MODIFY_TO_ERR, ERR),
                    row(RESET, CLOSE, CLOSED),
                    row(INIT, MODIFY_TO_RESET, RESET),
                    row(INIT, MODIFY_TO_ERR, ERR),
                    row(INIT, BEGUN, RTR),
                    row(INIT, CLOSE, CLOSED),
                    row(RTR, ESTABLISHED, RTS),
                    row(RTR, UNBEGUN, INIT),
                    row(RTR, MODIFY_TO_ERR, ENDING),
                    row(RTR, STREAM_ENDS, ENDING),
                    row(RTR, RELEASED, ERR),
                    row(RTR, CLOSE, CLOSED),
                    row(RTS, MODIFY_TO_SQD, SQD),
                    row(RTS, MODIFY_TO_ERR, ENDING),
                    row(RTS, STREAM_ENDS, ENDING),
                    row(RTS, RELEASED, ERR),
                    row(RTS, CLOSE, CLOSED),
                    row(SQD, MODIFY_TO_RTS, RTS),
                    row(SQD, MODIFY_TO_ERR, ENDING),
                    row(SQD, STREAM_ENDS, ENDING),
                    row(SQD, RELEASED, ERR),
                    row(SQD, CLOSE, CLOSED),
                    row(ENDING, MODIFY_TO_ERR, ENDING), // one that ends in order is aborted
                    row(ENDING, UNBEGUN, ERR),
                    row(ENDING, RELEASED, ERR),
                    row(ENDING, CLOSE, CLOSED),
                    row(ERR, MODIFY_TO_RESET, RESET),
                    row(ERR, MODIFY_TO_ERR, ERR),
                    row(ERR, CLOSE, CLOSED),
                    row(CLOSED, FORGOTTEN, GONE)));

    private QueuePairTransitions() {}
}
