package dev.jwarp.ddp;

/**
 * How an operation ended, in the names of libibverbs' {@code ibv_wc_status}, so that every layer speaks of an outcome with
 * one vocabulary. Only the outcomes of an iWARP device are listed. The last ones are of datagrams only, and libibverbs
 * has no word for them. Numbers and sentences for programs are in the verbs ({@code WorkCompletionStatus}).
 */
public enum OperationStatus {
    /** The operation did what was asked. */
    SUCCESS,
    /** A local buffer was too small for what arrived, or too large for what may be sent. */
    LOC_LEN_ERR,
    /** The queue pair itself could not carry out the operation. */
    LOC_QP_OP_ERR,
    /** A local scatter/gather element did not pass the checks of its memory region. */
    LOC_PROT_ERR,
    /** The queue pair went to the error state before the operation was carried out. */
    WR_FLUSH_ERR,
    /** A memory window could not be bound. */
    MW_BIND_ERR,
    /** The peer answered with something that does not belong to the request. */
    BAD_RESP_ERR,
    /** The peer did something that our own memory region forbids. */
    LOC_ACCESS_ERR,
    /** The peer says the request was malformed or not supported. */
    REM_INV_REQ_ERR,
    /** The peer refused access to its memory. */
    REM_ACCESS_ERR,
    /** The peer could not carry out the operation. */
    REM_OP_ERR,
    /** Reliable datagrams: what was sent is not accepted by the peer, however often it is repeated. */
    RETRY_EXC_ERR,
    /** Reliable datagrams: the peer had no receive for the message for too long. */
    RNR_RETRY_EXC_ERR,
    /** The peer ended the stream before the operation was complete. */
    REM_ABORT_ERR,
    /** The stream failed, and no single operation was the cause. */
    FATAL_ERR,
    /** No answer came in time. */
    RESP_TIMEOUT_ERR,
    /** Anything else. */
    GENERAL_ERR,
    /** Datagrams: some parts are placed, others did not come in time. */
    PARTIAL,
    /** Datagrams: parts of a Send did not come in time; reported only if the queue pair is told to. */
    INCOMPLETE,
    /** Datagrams: a newer message needed the place of this one, of which only parts had arrived. */
    EVICTED,
    /** Datagrams: the memory, the queue pair or the peer's channel ended before all parts had arrived. */
    ABORTED,
    /** Reliable datagrams: the peer's channel started again; what was sent may have arrived, or not. */
    PEER_RESET
}
