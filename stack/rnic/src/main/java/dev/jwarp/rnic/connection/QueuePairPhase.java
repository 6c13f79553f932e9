package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import dev.jwarp.verbs.QueuePairState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a queue pair of type RC, which is finer than the states of the verbs. {@link #TABLE} has the
 * transitions.
 */
enum QueuePairPhase {
    RESET(QueuePairState.RESET),
    INIT(QueuePairState.INIT),
    RTR(QueuePairState.RTR),
    RTS(QueuePairState.RTS),
    SQD(QueuePairState.SQD),
    /** In error; the connection has not ended, and completes posted requests. */
    ENDING(QueuePairState.ERR),
    /** In error without a connection; posted requests are flushed at once. */
    ERR(QueuePairState.ERR),
    /** Closed; the connection may not have ended. */
    CLOSED(QueuePairState.ERR),
    /** Closed, and all clean-up is done. */
    GONE(QueuePairState.ERR);

    /** An event that changes the phase. */
    enum Event {
        MODIFY_TO_RESET,
        MODIFY_TO_INIT,
        MODIFY_TO_RTS,
        MODIFY_TO_SQD,
        MODIFY_TO_ERR,
        /** connect or accept was called. */
        BEGUN,
        /** connect or accept threw. */
        UNBEGUN,
        ESTABLISHED,
        /** The connection is no longer established. */
        STREAM_ENDS,
        /** The connection was released. */
        RELEASED,
        CLOSE,
        /** All clean-up of a close is done. */
        FORGOTTEN;

        /** {@return the event for a program's modify to that state; null if programs cannot request that state} */
        static @Nullable Event modifyTo(QueuePairState target) {
            return switch (target) {
                case RESET -> MODIFY_TO_RESET;
                case INIT -> MODIFY_TO_INIT;
                case RTS -> MODIFY_TO_RTS;
                case SQD -> MODIFY_TO_SQD;
                case ERR -> MODIFY_TO_ERR;
                case RTR, SQE -> null;
            };
        }
    }

    /** All transitions. Any other event is rejected. */
    static final Transitions<QueuePairPhase, Event> TABLE = new Transitions<>(
            QueuePairPhase.class,
            Event.class,
            List.of(
                    row(RESET, Event.MODIFY_TO_RESET, RESET),
                    row(RESET, Event.MODIFY_TO_INIT, INIT),
                    row(RESET, Event.MODIFY_TO_ERR, ERR),
                    row(RESET, Event.CLOSE, CLOSED),
                    row(INIT, Event.MODIFY_TO_RESET, RESET),
                    row(INIT, Event.MODIFY_TO_ERR, ERR),
                    row(INIT, Event.BEGUN, RTR),
                    row(INIT, Event.CLOSE, CLOSED),
                    row(RTR, Event.ESTABLISHED, RTS),
                    row(RTR, Event.UNBEGUN, INIT),
                    row(RTR, Event.MODIFY_TO_ERR, ENDING),
                    row(RTR, Event.STREAM_ENDS, ENDING),
                    row(RTR, Event.RELEASED, ERR),
                    row(RTR, Event.CLOSE, CLOSED),
                    row(RTS, Event.MODIFY_TO_SQD, SQD),
                    row(RTS, Event.MODIFY_TO_ERR, ENDING),
                    row(RTS, Event.STREAM_ENDS, ENDING),
                    row(RTS, Event.RELEASED, ERR),
                    row(RTS, Event.CLOSE, CLOSED),
                    row(SQD, Event.MODIFY_TO_RTS, RTS),
                    row(SQD, Event.MODIFY_TO_ERR, ENDING),
                    row(SQD, Event.STREAM_ENDS, ENDING),
                    row(SQD, Event.RELEASED, ERR),
                    row(SQD, Event.CLOSE, CLOSED),
                    row(ENDING, Event.MODIFY_TO_ERR, ENDING), // aborts a connection that ends in order
                    row(ENDING, Event.UNBEGUN, ERR),
                    row(ENDING, Event.RELEASED, ERR),
                    row(ENDING, Event.CLOSE, CLOSED),
                    row(ERR, Event.MODIFY_TO_RESET, RESET),
                    row(ERR, Event.MODIFY_TO_ERR, ERR),
                    row(ERR, Event.CLOSE, CLOSED),
                    row(CLOSED, Event.FORGOTTEN, GONE)));

    private final QueuePairState verbs;

    QueuePairPhase(QueuePairState verbs) {
        this.verbs = verbs;
    }

    /** {@return the state that the program sees} */
    QueuePairState verbs() {
        return verbs;
    }

    /** {@return the phase after the event; null if the event is not allowed} */
    @Nullable
    QueuePairPhase next(Event event) {
        return TABLE.next(this, event);
    }

    boolean closed() {
        return this == CLOSED || this == GONE;
    }

    boolean takesReceives() {
        return this != RESET && !closed();
    }

    boolean takesSends() {
        return this != INIT && takesReceives();
    }

    /** {@return whether all posted requests are flushed} */
    boolean flushes() {
        return verbs == QueuePairState.ERR;
    }
}
