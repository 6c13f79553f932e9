package dev.jwarp.transport.udp.net;

/** What it means that the system does not take a datagram. */
public enum SendRefusal {
    /** It has no room for it now (ENOBUFS). */
    NO_ROOM,
    /**
     * There is no way to its destination, or a packet filter keeps it back: the same as a loss further on, of which the sender
     * is not told. All other errors of the system are of this kind too.
     */
    LOST,
    /** It is longer than the system, or the path, can take; or its address is of a kind that the socket does not have. */
    NEVER
}
