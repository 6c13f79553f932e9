package dev.jwarp.rnic.connection;

import dev.jwarp.verbs.QueuePairState;

/** How far a queue pair has come: the verbs' states, and what these do not tell apart. {@link QueuePairTransitions} has the ways. */
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

    private final QueuePairState verbs;

    QueuePairPhase(QueuePairState verbs) {
        this.verbs = verbs;
    }

    /** {@return what the program sees of it} */
    QueuePairState verbs() {
        return verbs;
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
