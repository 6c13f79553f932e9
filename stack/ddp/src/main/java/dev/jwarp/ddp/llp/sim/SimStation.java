package dev.jwarp.ddp.llp.sim;

/** Something of a {@link SimNetwork} that has work at times: an end of a stream, a port for datagrams. */
interface SimStation {
    /** Its turn, after it said {@link SimNetwork#ready}. */
    void pump();

    /** {@return when it wants {@link #timeout}; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /** The time has come, and what was to arrive by then has arrived. */
    void timeout();
}
