package dev.jwarp.sockets.datagram;

/** What a peer of a datagram socket may speak. */
public enum DatagramMode {
    /** Datagram-iWARP: plain datagrams from there are dropped. */
    IWARP,
    /** Plain UDP. */
    PLAIN,
    /**
     * Either. Datagram-iWARP is tried first. Plain UDP follows after one second without an answer. A peer that sent plain datagrams gets plain datagrams.
     */
    EITHER
}
