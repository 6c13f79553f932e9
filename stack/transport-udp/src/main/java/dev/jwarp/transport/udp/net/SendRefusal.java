package dev.jwarp.transport.udp.net;

/** The reason why the system refuses a datagram. */
public enum SendRefusal {
    /** The system has no buffer space now (ENOBUFS). */
    NO_ROOM,
    /**
     * No route to the destination, or a packet filter: treated like a loss in the network. All other errors of the
     * system are of this kind, too.
     */
    LOST,
    /** The datagram is too long for the system or the path, or the socket does not support its kind of address. */
    NEVER
}
