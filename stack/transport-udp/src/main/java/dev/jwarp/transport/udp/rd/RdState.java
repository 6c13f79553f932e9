package dev.jwarp.transport.udp.rd;

/** What a channel is doing (datagram-iWARP §11). */
enum RdState {
    /** There is none: it is in no table any more. */
    CLOSED,
    /** An RD-OPEN is out. */
    OPENING,
    /** Datagrams flow. */
    OPEN,
    /** It has failed, until the application resets the peer or neither side has said anything for 120 s. */
    ERROR
}
