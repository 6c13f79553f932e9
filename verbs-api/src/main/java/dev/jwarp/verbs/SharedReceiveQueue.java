package dev.jwarp.verbs;

/**
 * A queue of receives for several queue pairs of one protection domain and one type: {@code ibv_srq}. Each message
 * consumes the oldest receive, whichever queue pair it arrives at. The completion goes to the receive completion queue
 * of that queue pair, and {@link WorkCompletion#queuePairNumber} names the queue pair. Receives that a closed or failed
 * queue pair has not consumed stay available to the others.
 *
 * <p>A message that finds no receive ends the connection (RC); is dropped and counted (UD); or makes the peer wait
 * until a receive is posted (RD).
 *
 * <p>UD and RD: a message that consumes a receive also reserves a place in the completion queue. If the completion
 * queue has no free place, the message gets no receive, and {@code no_cq_place} counts it. So make the completion
 * queues as large as this queue. The share of a queue pair is the capacity divided by the number of queue pairs that
 * use this queue; partly received Sends hold at most half of that share. If a Send stays incomplete, its receive
 * returns to the head of the queue.
 *
 * <p>Threads: any.
 */
public interface SharedReceiveQueue extends AutoCloseable {
    /** {@return the protection domain} */
    ProtectionDomain protectionDomain();

    /** {@return a number unique among the open shared receive queues of the context} */
    int handle();

    /** {@return the maximum number of outstanding receives} */
    int capacity();

    /**
     * Posts a receive, as {@link QueuePair#postReceive(ReceiveWorkRequest)} does.
     *
     * @param request read only during the call
     * @throws RdmaException QUEUE_FULL, INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED, INVALID_ARGUMENT, CLOSED; nothing
     *     is posted then
     */
    void postReceive(ReceiveWorkRequest request);

    /**
     * Posts the first {@code count} receives of an array, as {@link QueuePair#postReceive(ReceiveWorkRequest[], int)}
     * does.
     *
     * @param requests the requests
     * @param count number of requests to post
     * @return the number of receives posted
     */
    int postReceive(ReceiveWorkRequest[] requests, int count);

    /**
     * Arms the limit: when fewer than {@code receives} receives are left, {@link AsyncEventType#SRQ_LIMIT_REACHED}
     * comes once. Then the program must arm the limit again.
     *
     * @param receives the limit; 0 disarms it
     */
    void armLimit(int receives);

    /** {@return the armed limit; 0 if the limit is not armed} */
    int limit();

    /**
     * Frees the queue. Receives that no message consumed are dropped without completions.
     *
     * @throws RdmaException RESOURCE_BUSY if queue pairs still use the queue
     */
    @Override
    void close();
}
