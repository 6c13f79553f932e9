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
     * @throws RdmaException COMPLETION_QUEUE_OVERFLOW if completions were lost and the rest has been taken; CLOSED
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
     * Frees the queue.
     *
     * @throws RdmaException RESOURCE_BUSY if queue pairs still use it
     */
    @Override
    void close();
}
