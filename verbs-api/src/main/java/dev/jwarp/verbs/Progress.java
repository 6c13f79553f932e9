package dev.jwarp.verbs;

/** Which threads send and receive the bytes of a {@link Context}: the setting {@code jwarp.progress}. */
public enum Progress {
    /**
     * The thread that polls or waits on a completion queue, completion channel, event channel or synchronous id of the
     * context does the input and output of all its connections. The fastest way for one busy thread; nothing is sent or
     * received while no thread polls or waits.
     */
    INLINE,
    /** Threads of the transport do it; waiting threads sleep. For services that wait for other things too. */
    THREADED
}
