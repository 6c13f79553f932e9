package dev.jwarp.verbs;

/** Which threads send and receive the bytes of a {@link Context}: the setting {@code jwarp.progress}. */
public enum Progress {
    /**
     * A thread that polls or waits on an object of the context (a completion queue, a completion channel, an event
     * channel or a synchronous id) does the input and output of all connections of the context. This is the fastest
     * mode for one busy thread. Nothing is sent or received while no thread polls or waits.
     */
    INLINE,
    /**
     * Threads of the transport do the input and output; waiting threads sleep. This mode suits services that also wait
     * for other things.
     */
    THREADED
}
