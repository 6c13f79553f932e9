package dev.jwarp.llp;

/**
 * The ready-to-receive message of peer-to-peer start-up (RFC 6581 §9.2): the first message of the initiator, of length
 * zero, which permits the responder to send.
 */
public enum ReadyToReceive {
    /** No such message: client-server start-up. */
    NONE,
    /** A zero-length Send; consumes a receive buffer of the responder (RFC 5040 §5.3). */
    SEND,
    /** A zero-length RDMA Write. */
    WRITE,
    /** A zero-length RDMA Read. */
    READ
}
