package dev.jwarp.rdmap;

/** The states of a stream, in the words of the RDMA verbs. */
public enum StreamState {
    /** No connection: not yet, or no longer after an orderly end. A stream has one connection in its life. */
    IDLE,
    /** Ready to send: messages flow in both directions. */
    RTS,
    /** We are closing: what was posted is sent, then our direction ends. */
    CLOSING,
    /** A Terminate was sent or received: nothing flows any more, the connection is being ended. */
    TERMINATE,
    /** The stream failed; all work has come back or is coming back in error. */
    ERROR
}
