package dev.jwarp.verbs;

/**
 * Types of {@link AsyncEvent}. Names and numbers are those of {@code ibv_event_type}; the numbers from 64 on are
 * jwarp's.
 */
public enum AsyncEventType {
    /** A completion queue overflowed: completions were lost, and the queue pairs that use the queue are in error. */
    CQ_ERR(0, "the completion queue overflowed"),
    /** The stream of a queue pair failed, or a Terminate was sent or received (RFC 5040 §4.8). */
    QP_FATAL(1, "the queue pair failed"),
    /** The peer violated the protocol; a Terminate for an invalid request was sent. */
    QP_REQ_ERR(2, "the peer sent an invalid request"),
    /** The peer accessed memory without permission; a Terminate for an access violation was sent. */
    QP_ACCESS_ERR(3, "the peer's memory access was refused"),
    /** Data arrived before the connection was reported as established. */
    COMM_EST(4, "communication established"),
    /** All requests posted before the change to SQD have been carried out. */
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
    /**
     * A queue pair in error takes no more receives from its shared receive queue; for UD and RD until it works again.
     */
    QP_LAST_WQE_REACHED(16, "the queue pair took its last receive of the shared receive queue"),
    /** A peer refused a datagram and reported the reason: {@link AsyncEvent#notice}. The queue pair continues. */
    PEER_NOTICE(64, "a peer refused a message"),
    /**
     * The log of Write-Records is full: new Write-Records are dropped until the program takes completions. Reported at
     * most once per second.
     */
    RECORD_LOG_FULL(65, "Write-Records are dropped because the program does not take their completions"),
    /** A peer supports no common version of datagram-iWARP. */
    VERSION_LIST(66, "a peer supports no common version"),
    /**
     * RD: the channel with a peer failed; requests to the peer are flushed until {@link DatagramQueuePair#resetPeer}.
     */
    PEER_FAILED(67, "a peer failed"),
    /** The operating system refused to send a datagram, for instance one larger than the MTU. The request failed. */
    UNSENDABLE(68, "the operating system refused to send a datagram"),
    /**
     * UD: a peer does not answer although many datagrams were sent to that peer. Until an answer, the queue pair sends
     * it one datagram per 3 s (RFC 8085).
     */
    PATH_SILENT(69, "a peer does not answer");

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
