package dev.jwarp.llp;

/**
 * The outcome of an operation, with the names of {@code ibv_wc_status} in every layer. Only outcomes of an iWARP device
 * are listed. The last ones are for datagrams only; libibverbs does not have them. The verbs have numbers and sentences
 * ({@code WorkCompletionStatus}).
 */
public enum OperationStatus {
    /** The operation was carried out. */
    SUCCESS,
    /** A local buffer was too small for what arrived, or too large for what may be sent. */
    LOC_LEN_ERR,
    /** The local queue pair could not carry out the operation. */
    LOC_QP_OP_ERR,
    /** A local scatter/gather element did not pass the checks of its memory region. */
    LOC_PROT_ERR,
    /** The queue pair went to the error state before the operation was carried out. */
    WR_FLUSH_ERR,
    /** A memory window could not be bound. */
    MW_BIND_ERR,
    /** The response of the peer does not match the request. */
    BAD_RESP_ERR,
    /** The local memory region does not permit the access of the peer. */
    LOC_ACCESS_ERR,
    /** The peer reported the request as malformed or unsupported. */
    REM_INV_REQ_ERR,
    /** The peer refused access to its memory. */
    REM_ACCESS_ERR,
    /** The peer could not carry out the operation. */
    REM_OP_ERR,
    /** Reliable datagrams: the peer acknowledged none of the retransmissions. */
    RETRY_EXC_ERR,
    /** Reliable datagrams: the peer had no posted receive for too long. */
    RNR_RETRY_EXC_ERR,
    /** The peer ended the stream before the operation was complete. */
    REM_ABORT_ERR,
    /** The stream failed, and no single operation was the cause. */
    FATAL_ERR,
    /** No answer came in time. */
    RESP_TIMEOUT_ERR,
    /** An unspecified failure. */
    GENERAL_ERR,
    /** Datagrams: only parts of the message arrived in time and are placed. */
    PARTIAL,
    /** Datagrams: parts of a Send did not arrive in time; reported only if the queue pair is configured so. */
    INCOMPLETE,
    /** Datagrams: a newer message replaced this incomplete one. */
    EVICTED,
    /** Datagrams: the memory, the queue pair or the peer's channel ended before the message was complete. */
    ABORTED,
    /** Reliable datagrams: the channel ended; sent messages may or may not have arrived. */
    PEER_RESET
}
