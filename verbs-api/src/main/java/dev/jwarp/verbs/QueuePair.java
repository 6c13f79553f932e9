package dev.jwarp.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A send queue and a receive queue over one connection: {@code ibv_qp}.
 *
 * <p>Every request posted completes exactly once, in the order of its queue; sends that are not signalled report only
 * failures. Once the queue pair leaves its working state, all that is outstanding comes back as
 * {@link WorkCompletionStatus#WR_FLUSH_ERR}, in order. Reads and Atomics that are outstanding when the peer ends its
 * direction in order come back as {@link WorkCompletionStatus#REM_ABORT_ERR} instead: unlike flushed requests they were sent,
 * and the peer may have carried them out, but it has said that it will not answer them (RFC 5040 §6.2). This side's own
 * end flushes them.
 *
 * <p>Threads: any number of threads may post. Posting never blocks, drives no input, and allocates nothing.
 */
public interface QueuePair extends AutoCloseable {
    /** {@return the domain} */
    ProtectionDomain protectionDomain();

    /** {@return a number that no other queue pair of the context has now; also in each completion} */
    int number();

    /** {@return what it was made with} */
    QueuePairAttributes attributes();

    /** {@return the state; {@link QueuePairState#ERR} once it is closed} */
    QueuePairState state();

    /** {@return the state of the RDMAP stream in iWARP's words: IDLE, RTS, CLOSING, TERMINATE, ERROR} */
    String streamState();

    /** {@return state, connection and use of the queues, for a person or a tool to look at} */
    QueuePairInformation query();

    /**
     * Changes the state. The program may ask for RESET to INIT, RTS to SQD and back, any to ERR, and ERR to RESET once
     * everything has been flushed and the connection is gone. {@link CmId#connect} and {@link CmId#accept} change it to
     * RTR and then to RTS, because in iWARP that needs a connection.
     *
     * @param target the state to go to
     * @throws RdmaException WRONG_STATE if the queue pair cannot go from its state to {@code target}
     */
    void modify(QueuePairState target);

    /**
     * Posts one request.
     *
     * @param request read during the call only: it may be changed and posted again at once. The memory it names belongs
     *     to the device until the request completes; inline data is copied at once.
     * @throws RdmaException QUEUE_FULL if {@link QueuePairAttributes#maxSendWorkRequests} are outstanding (never a wait);
     *     WRONG_STATE before the state RTR; INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED, INVALID_ARGUMENT for a bad request;
     *     CLOSED. Nothing was posted then, and the queue pair is as it was.
     */
    void postSend(SendWorkRequest request);

    /**
     * Posts one request unless the queue is full; for programs that expect the queue to be full at times.
     *
     * @param request read during the call only
     * @return false if the queue is full; nothing was posted then
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}, but QUEUE_FULL
     */
    boolean tryPostSend(SendWorkRequest request);

    /**
     * Posts the first {@code count} requests of a list, with one lock and one doorbell.
     *
     * @param requests the list
     * @param count how many of them
     * @return how many were posted; fewer than {@code count} if the queue became full
     * @throws RdmaException as {@link #postSend(SendWorkRequest)}, but QUEUE_FULL; {@link RdmaException#posted} says
     *     how many requests before the bad one were posted and stay so
     */
    int postSend(SendWorkRequest[] requests, int count);

    /**
     * Posts one receive.
     *
     * @param request read during the call only; the memory it names belongs to the device until the receive completes
     * @throws RdmaException QUEUE_FULL; WRONG_STATE in RESET; INVALID_ARGUMENT if the queue pair has a shared receive
     *     queue; INVALID_LKEY, OUT_OF_BOUNDS, ACCESS_DENIED (no LOCAL_WRITE); CLOSED. Nothing was posted then.
     */
    void postReceive(ReceiveWorkRequest request);

    /**
     * Posts one receive unless the queue is full.
     *
     * @param request read during the call only
     * @return false if the queue is full; nothing was posted then
     */
    boolean tryPostReceive(ReceiveWorkRequest request);

    /**
     * Posts the first {@code count} receives of a list.
     *
     * @param requests the list
     * @param count how many of them
     * @return how many were posted; fewer than {@code count} if the queue became full
     * @throws RdmaException as {@link #postReceive(ReceiveWorkRequest)}, but QUEUE_FULL; {@link RdmaException#posted}
     *     says how many before the bad one were posted and stay so
     */
    int postReceive(ReceiveWorkRequest[] requests, int count);

    /** {@return what the program attached, or null: {@code qp_context}} */
    @Nullable
    Object attachment();

    /**
     * Attaches an object of the program.
     *
     * @param attachment any object of the program; null for none
     */
    void attach(@Nullable Object attachment);

    /**
     * Frees the queue pair. A connection that is ending in order is given time to send what was posted before, at most
     * {@code jwarp.rdmap.disconnect-timeout}; one that is not is aborted. When this returns, every request has been reported
     * to its completion queue, those not carried out as flushed. More calls do nothing.
     */
    @Override
    void close();
}
