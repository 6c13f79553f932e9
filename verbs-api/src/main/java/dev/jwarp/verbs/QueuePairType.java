package dev.jwarp.verbs;

/** What a queue pair promises; names and numbers of {@code ibv_qp_type}, jwarp's own from 64 on. */
public enum QueuePairType {
    /** Reliable connection: iWARP over TCP. */
    RC(2),
    /** Unreliable datagrams: any number of peers; a message arrives, in whole or in part, or it does not. */
    UD(4),
    /** Reliable datagrams: any number of peers; what is sent arrives once and in order per peer, or fails. */
    RD(64);

    private final int number;

    QueuePairType(int number) {
        this.number = number;
    }

    /** {@return the number of {@code ibv_qp_type}} */
    public int number() {
        return number;
    }
}
