package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A send queue and a receive queue over one connection: {@code ibv_qp}.
 *
 * <p>Every posted request completes exactly once, in the order of its queue; unsignalled sends report only failures.
 * When the queue pair leaves its working state, all outstanding requests complete as
 * {@link WorkCompletionStatus#WR_FLUSH_ERR}, in order. If the peer closes its direction of the stream in order,
 * outstanding Reads and Atomics complete as {@link WorkCompletionStatus#REM_ABORT_ERR} instead: the peer may have
 * carried them out but will not answer them (RFC 5040 §6.2). A local close flushes them.
 *
 * <p>Threads: any number of threads may post. Posting never blocks, never processes input, and allocates nothing.
 */
public interface QueuePair extends AutoCloseable {
    /** {@return the protection domain} */
    ProtectionDomain protectionDomain();

    /** {@return a number unique among the open queue pairs of the context; each completion carries it} */
    int number();

    /** {@return the attributes that the queue pair was created with} */
    QueuePairAttributes attributes();

    /** {@return the state; {@link QueuePairState#ERR} after {@link #close}} */
    QueuePairState state();

    /** {@return the state of the RDMAP stream in iWARP's terms: IDLE, RTS, CLOSING, TERMINATE, ERROR} */
    String streamState();

    /** {@return a snapshot of state, connection and queue usage, for people and tools} */
    QueuePairInformation query();

    /**
     * Changes the state. A program may change RESET to INIT, RTS to SQD and back, any state to ERR, and ERR to RESET
     * once all requests are flushed and the connection is closed. Only {@link CmId#connect} and {@link CmId#accept}
     * change the state to RTR and RTS, because iWARP needs a connection for these.
     *
     * @param target the state to go to
     * @throws RdmaException WRONG_STATE if the queue pair cannot go from its state to {@code target}
     */
    void modify(QueuePairState target);

    /**
     * Posts one request.
     *
     * @param request read only during the call: the program may change and post the object again at once. The memory of
     *     its elements belongs to the device until the request completes. Inline data are copied during the call.
     * @throws RdmaException QUEUE_FULL if {@link QueuePairAttributes#maxSendWorkRequests} requests are outstanding;
     *     WRONG_STATE before the state RTR; INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED, INVALID_ARGUMENT for an invalid
     *     request; CLOSED. If the call throws, nothing is posted and the queue pair is unchanged.
     */
    void postSend(SendWorkRequest request);

    /**
     * Posts one request, or returns false if the queue is full.
     *
     * @param request read only during the call
     * @return false if the queue is full and nothing is posted
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}, except QUEUE_FULL
     */
    boolean tryPostSend(SendWorkRequest request);

    /**
     * Posts the first {@code count} requests of an array. Takes the lock once and notifies the device once.
     *
     * @param requests the requests
     * @param count number of requests to post
     * @return the number of requests posted; less than {@code count} if the queue became full
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}, except QUEUE_FULL. {@link RdmaException#posted} is
     *     the number of requests before the invalid one; these remain posted.
     */
    int postSend(SendWorkRequest[] requests, int count);

    /**
     * Posts one receive.
     *
     * @param request read only during the call; the memory of its elements belongs to the device until the receive
     *     completes
     * @throws RdmaException QUEUE_FULL; WRONG_STATE in RESET; INVALID_ARGUMENT if the queue pair has a shared receive
     *     queue; INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED (no LOCAL_WRITE); CLOSED. If the call throws, nothing is
     *     posted.
     */
    void postReceive(ReceiveWorkRequest request);

    /**
     * Posts one receive, or returns false if the queue is full.
     *
     * @param request read only during the call
     * @return false if the queue is full and nothing is posted
     */
    boolean tryPostReceive(ReceiveWorkRequest request);

    /**
     * Posts the first {@code count} receives of an array.
     *
     * @param requests the requests
     * @param count number of requests to post
     * @return the number of receives posted; less than {@code count} if the queue became full
     * @throws RdmaException as {@link #postReceive(ReceiveWorkRequest)}, except QUEUE_FULL.
     *     {@link RdmaException#posted} is the number of receives before the invalid one; these remain posted.
     */
    int postReceive(ReceiveWorkRequest[] requests, int count);

    /** {@return the object that the program attached, or null: {@code qp_context}} */
    @Nullable
    Object attachment();

    /**
     * Attaches an object of the program.
     *
     * @param attachment any object of the program; null for none
     */
    void attach(@Nullable Object attachment);

    /**
     * Frees the queue pair. A connection that is disconnecting in order gets up to
     * {@code jwarp.rdmap.disconnect-timeout} to send the requests posted before; any other connection is aborted. When
     * this method returns, every request has a completion; requests that were not carried out are flushed. Further
     * calls have no effect.
     */
    @Override
    void close();
}
