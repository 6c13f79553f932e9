package dev.jwarp.ddp;

/**
 * How an operation ended, in the words and numbers of libibverbs' {@code ibv_wc_status}, so that every layer speaks of
 * an outcome with one vocabulary. Only the outcomes an iWARP device can have are listed; the numbers in between
 * belong to InfiniBand. From 64 on stand outcomes that only datagrams can have, and that libibverbs has no word for.
 */
public enum OperationStatus {
    /** The operation did what was asked. */
    SUCCESS(0, "success"),
    /** A local buffer was too small for what arrived, or too large for what may be sent. */
    LOC_LEN_ERR(1, "the local buffer does not fit the message"),
    /** The queue pair itself could not carry out the operation. */
    LOC_QP_OP_ERR(2, "the local queue pair could not carry out the operation"),
    /** A local scatter/gather element did not pass the checks of its memory region. */
    LOC_PROT_ERR(4, "a local buffer is outside its memory region or of another protection domain"),
    /** The queue pair went to the error state before the operation was carried out. */
    WR_FLUSH_ERR(5, "flushed: the queue pair left its working state first"),
    /** A memory window could not be bound. */
    MW_BIND_ERR(6, "the memory window could not be bound"),
    /** The peer answered with something that does not belong to the request. */
    BAD_RESP_ERR(7, "the peer's response does not match the request"),
    /** The peer did something that our own memory region forbids. */
    LOC_ACCESS_ERR(8, "the local memory region forbids this access"),
    /** The peer says the request was malformed or not supported. */
    REM_INV_REQ_ERR(9, "the peer found the request invalid"),
    /** The peer refused access to its memory. */
    REM_ACCESS_ERR(10, "the peer refused the memory access"),
    /** The peer could not carry out the operation. */
    REM_OP_ERR(11, "the peer could not carry out the operation"),
    /** Reliable datagrams: what was sent is not accepted by the peer, however often it is repeated. */
    RETRY_EXC_ERR(12, "the peer did not accept what was sent, however often it was repeated"),
    /** Reliable datagrams: the peer has no room for the message, and that for too long. */
    RNR_RETRY_EXC_ERR(13, "the peer had no receive posted for too long"),
    /** The peer ended the stream before the operation was complete. */
    REM_ABORT_ERR(16, "the peer ended the stream first"),
    /** The stream broke in a way that no single operation is to blame for. */
    FATAL_ERR(19, "the stream failed"),
    /** No answer came in time. */
    RESP_TIMEOUT_ERR(20, "the peer did not answer in time"),
    /** Anything else. */
    GENERAL_ERR(21, "unspecified failure"),
    /** Datagrams: some parts are placed, others did not come in time. */
    PARTIAL(64, "only parts arrived in time"),
    /** Datagrams: parts of a Send did not come in time; reported only if the queue pair is told to. */
    INCOMPLETE(65, "the message was not complete in time"),
    /** Datagrams: a newer message needed the place of this one, of which only parts had arrived. */
    EVICTED(66, "only parts had arrived when a newer message took the place"),
    /** Datagrams: the memory, the queue pair or the peer's channel went before all parts had arrived. */
    ABORTED(67, "only parts had arrived when memory, queue pair or peer went away"),
    /** Reliable datagrams: the peer's channel began anew; what was sent may have arrived, or not. */
    PEER_RESET(68, "the peer began anew: what was sent may have arrived or not");

    private final int number;
    private final String sentence;

    OperationStatus(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** {@return the number of {@code ibv_wc_status}, or one of jwarp's own from 64 on} */
    public int number() {
        return number;
    }

    /** {@return what happened, in words, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
