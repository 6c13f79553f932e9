package dev.jwarp.transport.udp.rd;

/** The states of a channel (datagram-iWARP §11). */
enum RdState {
    /** The channel is new, or was removed from the tables. */
    CLOSED,
    /** An RD-OPEN of this side is outstanding. */
    OPENING,
    /** Data can be sent and received. */
    OPEN,
    /** The channel has failed, until the program resets the peer or both sides are silent for 120 s. */
    ERROR
}
