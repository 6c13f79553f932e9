package dev.jwarp.sockets.datagram;

/** The protocols that a peer of a datagram socket may use. */
public enum DatagramMode {
    /** Datagram-iWARP only: plain datagrams of the peer are dropped. */
    IWARP,
    /** Plain UDP. */
    PLAIN,
    /**
     * Either. Datagram-iWARP is tried first. Plain UDP follows after one second without an answer. A peer that sent
     * plain datagrams gets plain datagrams.
     */
    EITHER
}
