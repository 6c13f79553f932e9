package dev.jwarp.rnic.datagram;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import dev.jwarp.verbs.QueuePairState;
import java.util.List;

/**
 * The life cycle of a datagram queue pair, which is finer than the states of the verbs. {@link #TABLE} has the
 * transitions.
 */
enum DatagramQueuePairPhase {
    RTS(QueuePairState.RTS),
    ERR(QueuePairState.ERR),
    /** Detached from its port, or never attached. No events follow; the program still has to close the queue pair. */
    DETACHED(QueuePairState.ERR),
    /** Closed; possibly still attached to its port. */
    CLOSED(QueuePairState.ERR),
    /** Closed and detached from its port. */
    GONE(QueuePairState.ERR);

    /** An event that changes the phase. */
    enum Event {
        MODIFY_TO_ERR,
        /** This side failed, or a peer failed and the queue pair stops at failures of peers. */
        FAIL,
        /** The endpoint works again, on request of the program. */
        RESUME,
        /** All work requests are complete, and no events follow. */
        DETACH,
        CLOSE
    }

    /** All transitions of a queue pair of type UD or RD. An event without a row changes nothing. */
    static final Transitions<DatagramQueuePairPhase, Event> TABLE = new Transitions<>(
            DatagramQueuePairPhase.class,
            Event.class,
            List.of(
                    row(RTS, Event.MODIFY_TO_ERR, ERR),
                    row(RTS, Event.FAIL, ERR),
                    row(RTS, Event.DETACH, DETACHED),
                    row(RTS, Event.CLOSE, CLOSED),
                    row(ERR, Event.MODIFY_TO_ERR, ERR),
                    row(ERR, Event.FAIL, ERR),
                    row(ERR, Event.RESUME, RTS),
                    row(ERR, Event.DETACH, DETACHED),
                    row(ERR, Event.CLOSE, CLOSED),
                    row(DETACHED, Event.CLOSE, GONE),
                    row(CLOSED, Event.DETACH, GONE)));

    private final QueuePairState verbs;

    DatagramQueuePairPhase(QueuePairState verbs) {
        this.verbs = verbs;
    }

    /** {@return the state that the program sees} */
    QueuePairState verbs() {
        return verbs;
    }

    boolean closed() {
        return this == CLOSED || this == GONE;
    }

    /** {@return whether all work requests are complete and no events follow} */
    boolean detached() {
        return this == DETACHED || this == GONE;
    }
}
