package dev.jwarp.rnic.connection;

/** How far a connection of a queue pair has come. {@link ConnectionTransitions} has the ways. */
enum ConnectionState {
    /** connect or accept was called; the lower layer has not begun. */
    BEGUN,
    /** As {@link #BEGUN}, and this side wants its end. */
    UNWANTED,
    /** The lower layer has begun. */
    OPEN,
    /** It ends in order, or a Terminate is on its way. */
    ENDING,
    /** It has failed; the lower layer is to tell of its end. */
    FAILING,
    /** The lower layer has ended or never began, and the stream completes nothing more: its last steps are done. */
    ENDED,
    /** The queue pair is free for another one. The last of its last steps may still be done, or again if they threw. */
    OVER;

    /** {@return whether it comes to its end by itself, so that it pays to wait for it} */
    boolean ending() {
        return this == UNWANTED || this == ENDING || ended();
    }

    /** {@return whether the stream has nothing to do with what is posted any more} */
    boolean ended() {
        return this == ENDED || this == OVER;
    }
}
