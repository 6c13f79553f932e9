package dev.jwarp.sockets;

/** A channel that {@link RdmaSelector} can select. */
interface SelectableStream {
    /** {@return who is told what it can do} */
    Readiness readiness();

    /** {@return what it can do now without waiting, in the bits of a selection key} Any thread. */
    int readyOps();
}
