package dev.jwarp.verbs;

/**
 * The state of a queue pair; names and numbers of {@code ibv_qp_state}. What RFC 5040 calls the state of the RDMAP
 * stream is {@link QueuePair#streamState}.
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
    /** A connection is being set up. Sends may be posted; they wait. */
    RTR(2),
    /** Ready to send: connected. */
    RTS(3),
    /**
     * Send queue drained or draining: what was posted before is carried out; what is posted once
     * {@link AsyncEventType#SQ_DRAINED} has come waits.
     */
    SQD(4),
    /** Send queue error: never used, a reliable connection goes to {@link #ERR}; here because libibverbs has it. */
    SQE(5),
    /** Everything outstanding comes back as {@link WorkCompletionStatus#WR_FLUSH_ERR}, also what is posted now. */
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
