package dev.jwarp.verbs;

/** The transport service of a queue pair. Names and numbers are those of {@code ibv_qp_type}; 64 is jwarp's. */
public enum QueuePairType {
    /** Reliable connection: iWARP over TCP. */
    RC(2),
    /** Unreliable datagrams: any number of peers; a message arrives completely, partly or not at all. */
    UD(4),
    /** Reliable datagrams: any number of peers; messages arrive exactly once and in order per peer, or fail. */
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
