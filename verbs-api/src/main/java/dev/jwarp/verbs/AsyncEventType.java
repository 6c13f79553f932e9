package dev.jwarp.verbs;

/** Events that belong to no work request; names and numbers of {@code ibv_event_type}, jwarp's own from 64 on. */
public enum AsyncEventType {
    /** A completion queue overflowed: completions were lost, its queue pairs are in error. */
    CQ_ERR(0, "the completion queue overflowed"),
    /** The stream of a queue pair failed, or either end sent a Terminate (RFC 5040 §4.8). */
    QP_FATAL(1, "the queue pair failed"),
    /** The peer broke the protocol: we sent a Terminate that names the request as invalid. */
    QP_REQ_ERR(2, "the peer sent an invalid request"),
    /** The peer used memory that it may not use: we sent a Terminate that says so. */
    QP_ACCESS_ERR(3, "the peer's memory access was refused"),
    /** Data arrived before the connection was reported as established. */
    COMM_EST(4, "communication established"),
    /** Everything posted before the change to SQD has been carried out. */
    SQ_DRAINED(5, "the send queue is drained"),
    /** The device failed. */
    DEVICE_FATAL(8, "the device failed"),
    /** The port works. */
    PORT_ACTIVE(9, "the port is active"),
    /** The port does not work. */
    PORT_ERR(10, "the port failed"),
    /** A shared receive queue failed. */
    SRQ_ERR(14, "the shared receive queue failed"),
    /** Fewer receives than the armed limit are left in a shared receive queue. */
    SRQ_LIMIT_REACHED(15, "the shared receive queue fell below its limit"),
    /** A queue pair in error will take no more receives from its shared receive queue; of UD and RD, until it works again. */
    QP_LAST_WQE_REACHED(16, "the queue pair took its last receive of the shared receive queue"),
    /** A peer refused a datagram of ours and said why: {@link AsyncEvent#notice}. The queue pair goes on. */
    PEER_NOTICE(64, "a peer refused a message"),
    /** The log of Write-Records is full: new ones are dropped until completions are taken. At most once a second. */
    RECORD_LOG_FULL(65, "Write-Records are dropped because the program does not take their completions"),
    /** A peer speaks other versions of datagram-iWARP only. */
    VERSION_LIST(66, "a peer speaks other versions only"),
    /** RD: the channel with a peer failed; requests to it are flushed until {@link DatagramQueuePair#resetPeer}. */
    PEER_FAILED(67, "a peer failed"),
    /** The system will not take a datagram of ours, such as one beyond the MTU; its request failed. */
    UNSENDABLE(68, "the system does not take a datagram"),
    /** UD: nothing comes from a peer that much was sent to; until something does it gets one datagram in 3 s (RFC 8085). */
    PATH_SILENT(69, "nothing is heard from a peer");

    private final int number;
    private final String sentence;

    AsyncEventType(int number, String sentence) {
        this.number = number;
        this.sentence = sentence;
    }

    /** {@return the number of {@code ibv_event_type}} */
    public int number() {
        return number;
    }

    /** {@return what happened, in words, without a full stop} */
    public String sentence() {
        return sentence;
    }
}
