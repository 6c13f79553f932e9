package dev.jwarp.sockets.datagram;

/** What a peer of a datagram socket may speak. One from which plain datagrams came gets such, whatever this says. */
public enum DatagramMode {
    /** Datagram-iWARP. */
    IWARP,
    /** Plain UDP. */
    PLAIN,
    /** Either: datagram-iWARP is tried, and plain UDP from a second later on, if nothing came from there. */
    EITHER
}
