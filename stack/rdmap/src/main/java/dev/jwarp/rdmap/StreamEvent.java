package dev.jwarp.rdmap;

/** What moves a stream from one {@link StreamState} to another. */
enum StreamEvent {
    /** Start-up of the lower layer is complete (RFC 5040 §6.1). */
    ESTABLISHED,
    /** The program asked for an orderly end (RFC 5040 §6.2). */
    CLOSE,
    /** An error was found on this side, and the peer is told (RFC 5040 §7.1). */
    TERMINATE_SENT,
    /** The peer found an error, and told us (RFC 5040 §5.4). */
    TERMINATE_RECEIVED,
    /** The program gave the stream up, or an error was found that may not be answered. */
    FAILED,
    /** The lower layer ended in order. */
    LLP_CLOSED,
    /** The lower layer ended otherwise (RFC 5040 §6.2.1, RFC 5044 §8). */
    LLP_LOST
}
