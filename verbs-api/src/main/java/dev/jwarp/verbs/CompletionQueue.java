package dev.jwarp.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A queue of completions of work requests: {@code ibv_cq}.
 *
 * <p>Threads: any number of threads may poll; each completion goes to one of them. With {@link Progress#INLINE},
 * {@link #poll} and {@link #await} drive the input and output of all connections of the context.
 */
public interface CompletionQueue extends AutoCloseable {
    /** {@return the context} */
    Context context();

    /** {@return a number unique among the open completion queues of the context} */
    int handle();

    /**
     * {@return the maximum number of completions in the queue} This number applies separately to queue pairs of type RC
     * and to datagram queue pairs.
     */
    int capacity();

    /** {@return the channel given at creation, or null} */
    @Nullable
    CompletionChannel channel();

    /**
     * Takes completions without waiting. Allocates nothing.
     *
     * @param into filled from index 0 on; create it once with {@link WorkCompletion#array}
     * @return the number of completions taken, 0 to {@code into.length}
     * @throws RdmaException COMPLETION_QUEUE_OVERFLOW if completions were lost and all others have been taken; CLOSED;
     *     WRONG_STATE if the queue has a handler
     */
    int poll(WorkCompletion[] into);

    /**
     * Takes completions, and waits while there are none. Allocates nothing in steady state.
     *
     * @param into as for {@link #poll}
     * @param timeout maximum time to wait for the first completion
     * @return the number of completions taken; 0 after the timeout
     * @throws RdmaException COMPLETION_QUEUE_OVERFLOW, CLOSED, INTERRUPTED
     */
    int await(WorkCompletion[] into, Duration timeout);

    /**
     * Requests one event on the {@link #channel} for the next completion: {@code ibv_req_notify_cq}. Poll once more
     * after this call, because a completion added before the call causes no event.
     *
     * @param solicitedOnly true for an event only on failures and on receives of messages with the solicited flag
     * @throws RdmaException INVALID_ARGUMENT if the queue has no channel
     */
    void requestNotification(boolean solicitedOnly);

    /**
     * Sets a handler for all later completions, in place of polling. The thread that produces a completion calls the
     * handler: with {@link Progress#THREADED} the event loop of the connection, with {@link Progress#INLINE} the thread
     * in {@link Context#poll} or {@link Context#await(Duration)}. Allocates nothing in steady state.
     *
     * <ul>
     *   <li>Order: the handler gets completions in the order of the queue, several per call if several are available.
     *       Calls for one queue never overlap. If several event loops report to one queue, one of them may call the
     *       handler with completions of another; a queue per event loop is faster.
     *   <li>Posting: the handler may post, also to the queue pair of the completion. The event loop sends the posted
     *       requests after the handler returns; no thread is woken. Completions caused by the handler itself come in a
     *       later call, never in a nested one.
     *   <li>Blocking: the handler must not block, because the other connections of the thread wait meanwhile. Calls of
     *       the verbs that would block throw WRONG_STATE: all synchronous calls, the close of a queue pair with an open
     *       connection (disconnect first, and close after {@link CmEventType#DISCONNECTED}), and the close of the
     *       context.
     *   <li>Exceptions: an exception ends the connection of each queue pair with a completion in that call; datagram
     *       queue pairs go to the state ERR. An async event contains the exception. The handler still gets later
     *       completions.
     *   <li>Flushed requests: when a call of another thread flushes requests, a thread of the context delivers their
     *   completions soon afterwards. The thread that closes the context delivers the remaining ones.
     * </ul>
     *
     * <p>{@link #poll} and {@link #await} throw WRONG_STATE after this call.
     *
     * @param handler called until the queue is closed
     * @throws RdmaException WRONG_STATE if the queue has a handler or a channel, or if a queue pair uses it already;
     *     CLOSED
     */
    void onCompletion(CompletionHandler handler);

    /**
     * Frees the queue.
     *
     * @throws RdmaException RESOURCE_BUSY if queue pairs still use the queue
     */
    @Override
    void close();
}
