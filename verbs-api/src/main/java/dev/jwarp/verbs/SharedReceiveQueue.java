package dev.jwarp.verbs;

/** Receives for several queue pairs: {@code ibv_srq}. Threads: any. */
public interface SharedReceiveQueue extends AutoCloseable {
    /** {@return the domain} */
    ProtectionDomain protectionDomain();

    /** {@return a number that no other shared receive queue of the context has now} */
    int handle();

    /** {@return receives that can be outstanding at one time} */
    int capacity();

    /**
     * Posts a receive; as {@link QueuePair#postReceive(ReceiveWorkRequest)}.
     *
     * @throws RdmaException QUEUE_FULL, INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED, INVALID_ARGUMENT, CLOSED; nothing was
     *     posted then
     */
    void postReceive(ReceiveWorkRequest request);

    /**
     * Posts the first {@code count} receives of a list; as
     * {@link QueuePair#postReceive(ReceiveWorkRequest[], int)}.
     */
    int postReceive(ReceiveWorkRequest[] requests, int count);

    /**
     * Arms the limit: {@link AsyncEventType#SRQ_LIMIT_REACHED} comes once, when fewer than this many receives are left;
     * then it must be armed anew.
     *
     * @param receives 0 disarms
     */
    void armLimit(int receives);

    /** {@return the armed limit, 0 if none is} */
    int limit();

    /**
     * Frees the queue; receives that no message took are dropped without completions.
     *
     * @throws RdmaException RESOURCE_BUSY if queue pairs still use it
     */
    @Override
    void close();
}
