package dev.jwarp.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where work requests are reported when they are done: {@code ibv_cq}.
 *
 * <p>Threads: any number of threads may poll; each completion is given to one of them. With {@link Progress#INLINE},
 * {@link #poll} and {@link #await} drive the input and output of all connections of the context.
 */
public interface CompletionQueue extends AutoCloseable {
    /** {@return the context} */
    Context context();

    /** {@return a number that no other completion queue of the context has now} */
    int handle();

    /** {@return how many completions it holds} */
    int capacity();

    /** {@return the channel given at creation, or null} */
    @Nullable
    CompletionChannel channel();

    /**
     * Takes completions, without waiting. Allocates nothing.
     *
     * @param into filled from index 0 on; make it once with {@link WorkCompletion#array}
     * @return how many were taken, 0 to {@code into.length}
     * @throws RdmaException COMPLETION_QUEUE_OVERFLOW if completions were lost and the rest has been taken; CLOSED; WRONG_STATE if
     *     they go to a handler
     */
    int poll(WorkCompletion[] into);

    /**
     * Takes completions; waits if there are none. Allocates nothing in steady state.
     *
     * @param into as for {@link #poll}
     * @param timeout how long to wait for the first one
     * @return how many were taken; 0 if none came in time
     * @throws RdmaException COMPLETION_QUEUE_OVERFLOW, CLOSED, INTERRUPTED
     */
    int await(WorkCompletion[] into, Duration timeout);

    /**
     * Asks for one event on the {@link #channel} when the next completion is added: {@code ibv_req_notify_cq}. Poll
     * once more after this call: a completion that came before the call gives no event.
     *
     * @param solicitedOnly only for receives of Sends with the solicited flag, Immediate Data with it, and errors
     * @throws RdmaException INVALID_ARGUMENT if the queue has no channel
     */
    void requestNotification(boolean solicitedOnly);

    /**
     * Has all completions handed to {@code handler} from now on, by the thread that made them, instead of being polled: with {@link
     * Progress#THREADED} the event loop of the connection, with {@link Progress#INLINE} the thread in {@link Context#poll} or {@link
     * Context#await(Duration)}. Allocates nothing in steady state.
     *
     * <ul>
     *   <li>Order: in that of the queue, many in one call if many have come. Calls for one queue come one at a time, also where
     *       several event loops report to it: then one of them may hand over what another one made. A queue for each event loop
     *       is faster.
     *   <li>Posting, also to the queue pair that completed: the event loop sends it when the handler has returned. No thread is
     *       woken for that. What completes by a call of the handler comes in a later call, never within that one.
     *   <li>It must not block: other connections of the thread wait meanwhile. A call of the verbs that would have to wait throws
     *       WRONG_STATE. Among these are all synchronous calls, the close of a queue pair whose connection is not over (disconnect
     *       first, and close at {@link CmEventType#DISCONNECTED}), and the close of the context.
     *   <li>What it throws ends the connection of each queue pair whose completions were handed to it in that call; datagram queue
     *       pairs go to the error state. An async event tells what was thrown. Later completions are handed over all the same.
     *   <li>What is flushed by a call of another thread is handed over soon after, by a thread of the context; what is left when
     *       the context is closed, by the thread that closes it.
     * </ul>
     *
     * <p>{@link #poll} and {@link #await} throw WRONG_STATE from now on.
     *
     * @param handler called until the queue is closed
     * @throws RdmaException WRONG_STATE if the queue has a handler, has a channel, or is used by a queue pair already; CLOSED
     */
    void onCompletion(CompletionHandler handler);

    /**
     * Frees the queue.
     *
     * @throws RdmaException RESOURCE_BUSY if queue pairs still use it
     */
    @Override
    void close();
}
