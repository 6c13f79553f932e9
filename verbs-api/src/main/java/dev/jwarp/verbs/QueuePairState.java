package dev.jwarp.verbs;

/**
 * The state of a queue pair. Names and numbers are those of {@code ibv_qp_state}. {@link QueuePair#streamState} is the
 * state of the RDMAP stream in the terms of RFC 5040.
 *
 * <pre>{@code
 *   RESET --modify--> INIT --connect, accept--> RTR --established--> RTS --modify--> SQD
 *                                                                   RTS <--modify-- SQD
 *   any --modify, error, disconnect--> ERR --modify, once all is flushed--> RESET
 * }</pre>
 */
public enum QueuePairState {
    /** New: nothing may be posted. */
    RESET(0),
    /** Receives may be posted. */
    INIT(1),
    /** A connection is being set up. Posted sends wait. */
    RTR(2),
    /** Ready to send: connected. */
    RTS(3),
    /**
     * Send queue drained or draining: requests posted earlier are carried out. Requests posted after
     * {@link AsyncEventType#SQ_DRAINED} wait.
     */
    SQD(4),
    /** Send queue error. Never used: a reliable connection goes to {@link #ERR}. Present because libibverbs has it. */
    SQE(5),
    /**
     * All outstanding requests, and all requests posted in this state, complete as
     * {@link WorkCompletionStatus#WR_FLUSH_ERR}.
     */
    ERR(6);

    private final int number;

    QueuePairState(int number) {
        this.number = number;
    }

    /** {@return the number of {@code ibv_qp_state}} */
    public int number() {
        return number;
    }
}
