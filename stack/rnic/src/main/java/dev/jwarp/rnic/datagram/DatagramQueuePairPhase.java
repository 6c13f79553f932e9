package dev.jwarp.rnic.datagram;

import static dev.jwarp.base.Transitions.row;

import dev.jwarp.base.Transitions;
import dev.jwarp.verbs.QueuePairState;
import java.util.List;

/** How far a datagram queue pair has come: the verbs' states, and what these do not tell apart. {@link #TABLE} has the ways. */
enum DatagramQueuePairPhase {
    RTS(QueuePairState.RTS),
    ERR(QueuePairState.ERR),
    /** Its port has given it up, or never took it: nothing comes any more, and the program has still to close it. */
    DETACHED(QueuePairState.ERR),
    /** Closed; its port may still have it. */
    CLOSED(QueuePairState.ERR),
    /** Closed, and no longer at its port. */
    GONE(QueuePairState.ERR);

    /** What moves a datagram queue pair from one phase to another. */
    enum Event {
        MODIFY_TO_ERR,
        /** This side failed, or a peer did where that stops the queue pair. */
        FAIL,
        /** The endpoint works again, as the program wanted. */
        RESUME,
        /** Everything posted has come back, and nothing comes any more. */
        DETACH,
        CLOSE
    }

    /** The whole life of a queue pair of type UD or RD. An event without a row changes nothing. */
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

    /** {@return what the program sees of it} */
    QueuePairState verbs() {
        return verbs;
    }

    boolean closed() {
        return this == CLOSED || this == GONE;
    }

    /** {@return whether everything posted has come back, and nothing comes any more} */
    boolean detached() {
        return this == DETACHED || this == GONE;
    }
}
