package dev.jwarp.sockets.datagram;

/** What a peer of a datagram socket may speak. */
public enum DatagramMode {
    /** Datagram-iWARP: plain datagrams from there are dropped. */
    IWARP,
    /** Plain UDP. */
    PLAIN,
    /**
     * Either: datagram-iWARP is tried, and plain UDP from a second later on, if nothing came from there. One from which plain datagrams came gets such.
     */
    EITHER
}
