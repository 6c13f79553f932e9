package dev.jwarp.verbs;

/**
 * The outcome of a work request. Names and numbers are those of {@code ibv_wc_status}; the numbers from 64 on are
 * jwarp's. Each status has a sentence and a hint what to check. Statuses that only InfiniBand has are absent.
 */
public enum WorkCompletionStatus {
    /** The request was carried out. */
    SUCCESS(0, "success", "nothing"),
    /** A local buffer is too small for the message, or the message is too long to be sent. */
    LOC_LEN_ERR(
            1,
            "the local buffer does not fit the message",
            "for a receive, whether it is at least as long as the peer's largest Send; for a send, whether the message is longer"
                    + " than the queue pair or the network takes"),
    /** The local queue pair could not carry out the request. */
    LOC_QP_OP_ERR(2, "the local queue pair could not carry out the operation", "the async events of the queue pair"),
    /** A scatter/gather element failed the checks against its memory region. */
    LOC_PROT_ERR(
            4,
            "a local buffer is outside its memory region or of another protection domain",
            "lkey, address and length of the scatter/gather elements, and whether the region is still registered"),
    /** The queue pair left its working state before the request was carried out. */
    WR_FLUSH_ERR(
            5,
            "flushed: the queue pair left its working state first",
            "the first completion that is not a flush; after a clean disconnect flushes are normal"),
    /** A memory window could not be bound. */
    MW_BIND_ERR(
            6,
            "the memory window could not be bound",
            "MW_BIND and the access flags of the region, and that the range lies inside it"),
    /** The peer's response does not match the request. */
    BAD_RESP_ERR(7, "the peer's response does not match the request", "the peer's implementation, with a capture"),
    /** The local memory region does not permit the peer's access. */
    LOC_ACCESS_ERR(
            8,
            "the local memory region forbids this access",
            "the access flags of the local region; for a Send with Invalidate, whether the region is this queue pair's alone"),
    /** The peer found the request malformed or does not support it. */
    REM_INV_REQ_ERR(
            9, "the peer found the request invalid", "whether the peer supports the operation, and its receive sizes"),
    /** The peer refused access to its memory. */
    REM_ACCESS_ERR(
            10,
            "the peer refused the memory access",
            "rkey, address, length and the remote access flags of the peer's region"),
    /** The peer could not carry out the request. */
    REM_OP_ERR(
            11,
            "the peer could not carry out the operation",
            "the peer's answer; for a Send, whether the peer had posted a receive; for an Atomic, whether the address is"
                    + " a multiple of 8; for a Read, how many Reads the peer permits at a time; otherwise the peer's log"),
    /** RD: the peer acknowledged none of the retransmissions. */
    RETRY_EXC_ERR(12, "the peer acknowledged none of the retransmissions", "whether the peer is alive and reachable"),
    /** RD: the peer had no receive posted for too long. */
    RNR_RETRY_EXC_ERR(13, "the peer had no receive posted for too long", "whether the peer's program posts receives"),
    /** The peer ended the stream before the request was complete. */
    REM_ABORT_ERR(16, "the peer ended the stream first", "why the peer disconnected: its log or exit status"),
    /** The stream failed; no single request was the cause. */
    FATAL_ERR(19, "the stream failed", "the async events of the queue pair, and the network"),
    /** The peer did not answer in time. */
    RESP_TIMEOUT_ERR(20, "the peer did not answer in time", "whether the peer is alive and reachable"),
    /** An unspecified failure. */
    GENERAL_ERR(21, "unspecified failure", "the async events of the queue pair"),
    /** Datagrams: only a part of the message arrived before the timeout; see {@link WorkCompletion#validity}. */
    PARTIAL(64, "only a part of the message arrived in time", "the validity map, and the loss counters of both sides"),
    /** Datagrams: the Send that consumed this receive did not arrive completely. */
    INCOMPLETE(65, "the message did not arrive as a whole in time", "the loss counters of both sides"),
    /** Datagrams: only a part of the message had arrived when a newer message took over its resources. */
    EVICTED(
            66,
            "only a part had arrived when a newer message took over its resources",
            "the loss, and the limits jwarp.datagram.*"),
    /** Datagrams: the region, the queue pair or the peer's channel ended before the message was complete. */
    ABORTED(
            67,
            "only a part had arrived when the memory, the queue pair or the peer's channel ended",
            "why the region or the queue pair was closed, or the peer's channel ended"),
    /** RD: the channel ended; the request may or may not have reached the peer. */
    PEER_RESET(
            68,
            "the channel ended: the message may or may not have arrived",
            "whether the peer's process was restarted, or has more peers than it has channels for, or the path takes"
                    + " shorter datagrams than before");

    private final int number;
    private final String sentence;
    private final String check;

    WorkCompletionStatus(int number, String sentence, String check) {
        this.number = number;
        this.sentence = sentence;
        this.check = check;
    }

    /** {@return the number of {@code ibv_wc_status}} */
    public int number() {
        return number;
    }

    /** {@return what happened, in words, without a full stop} */
    public String sentence() {
        return sentence;
    }

    /** {@return what to check next, in words, without a full stop} */
    public String check() {
        return check;
    }
}
