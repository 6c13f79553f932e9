package dev.jwarp.rnic.connection;

/** What moves a connection along {@link ConnectionTransitions}. */
enum ConnectionEvent {
    /** The lower layer has begun. */
    ESTABLISHED,
    /** The program disconnects, the peer has ended its direction, or there is a Terminate, of whichever side. */
    END_WANTED,
    /** The stream has come to RDMAP's ERROR. */
    FAILED,
    /** Start-up failed. */
    NEVER_BEGAN,
    /** The lower layer is gone, and the stream has completed what it had. */
    CLOSED,
    /** The queue pair has no use for it any more. */
    RELEASED
}
