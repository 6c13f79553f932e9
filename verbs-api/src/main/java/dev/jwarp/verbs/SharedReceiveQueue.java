package dev.jwarp.verbs;

/**
 * Receives for several queue pairs of one protection domain and of one type: {@code ibv_srq}. Each message takes the
 * receive that was posted first, at whichever queue pair it arrives; its completion goes to the receive completion
 * queue of that queue pair, and {@link WorkCompletion#queuePairNumber} names it. A queue pair that ends or fails leaves
 * the receives that it has not taken to the others.
 *
 * <p>When a message finds no receive: a connection ends; with UD the message is lost and counted; with RD the peer is
 * asked to wait, and goes on when a receive is posted.
 *
 * <p>UD and RD: when a message takes a receive, it also reserves a place for the completion. If the completion queue
 * has no place, the message gets no receive ({@code no_cq_place} counts that), so make the completion queues as large
 * as this queue. The share of a queue pair is the capacity divided by the number of queue pairs that use this queue;
 * Sends of which only a part has come hold at most half of it. When the rest of such a Send does not come, its receive
 * goes back to the head of the queue.
 *
 * <p>Threads: any.
 */
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
     * @param request read during the call only
     * @throws RdmaException QUEUE_FULL, INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED, INVALID_ARGUMENT, CLOSED; nothing was
     *     posted then
     */
    void postReceive(ReceiveWorkRequest request);

    /**
     * Posts the first {@code count} receives of a list; as
     * {@link QueuePair#postReceive(ReceiveWorkRequest[], int)}.
     *
     * @param requests the list
     * @param count how many of them
     * @return how many were posted
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
