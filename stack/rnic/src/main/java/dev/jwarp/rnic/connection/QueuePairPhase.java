package dev.jwarp.rnic.connection;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import dev.jwarp.verbs.QueuePairState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How far a queue pair has come: the verbs' states, and what these do not tell apart. {@link #TABLE} has the ways. */
enum QueuePairPhase {
    RESET(QueuePairState.RESET),
    INIT(QueuePairState.INIT),
    RTR(QueuePairState.RTR),
    RTS(QueuePairState.RTS),
    SQD(QueuePairState.SQD),
    /** In error, and its connection is not over yet: that completes what is posted. */
    ENDING(QueuePairState.ERR),
    /** In error, without a connection: what is posted comes back at once. */
    ERR(QueuePairState.ERR),
    /** Closed; its connection may not be over yet. */
    CLOSED(QueuePairState.ERR),
    /** Closed, and nothing is left to be done for that. */
    GONE(QueuePairState.ERR);

    /** What moves a queue pair from one phase to another. */
    enum Event {
        MODIFY_TO_RESET,
        MODIFY_TO_INIT,
        MODIFY_TO_RTS,
        MODIFY_TO_SQD,
        MODIFY_TO_ERR,
        /** A connection is about to be made. */
        BEGUN,
        /** The call that was to make it threw. */
        UNBEGUN,
        ESTABLISHED,
        /** The connection is established no longer. */
        STREAM_ENDS,
        /** There is no connection any more. */
        RELEASED,
        CLOSE,
        /** All that closing has to do is done. */
        FORGOTTEN;

        /** {@return the program's wish to be in that state; null if no program can bring it there} */
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

    /** The whole life of a queue pair of type RC. What is not in it does not happen: it is refused. */
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
                    row(ENDING, Event.MODIFY_TO_ERR, ENDING), // one that ends in order is aborted
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

    /** {@return what the program sees of it} */
    QueuePairState verbs() {
        return verbs;
    }

    /** {@return where the event leads; null if it is not allowed here} */
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

    /** {@return whether all that is posted comes back as flushed} */
    boolean flushes() {
        return verbs == QueuePairState.ERR;
    }
}
