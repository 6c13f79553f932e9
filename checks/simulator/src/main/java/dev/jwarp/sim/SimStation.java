package dev.jwarp.sim;

/** A part of a {@link SimNetwork} with scheduled work: a side of a stream, a datagram port. */
interface SimStation {
    /** Runs after {@link SimNetwork#ready}. */
    void pump();

    /** {@return the time of the next {@link #timeout}; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /** The time has come, and all arrivals until then are delivered. */
    void timeout();
}
