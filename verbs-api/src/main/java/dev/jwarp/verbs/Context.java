package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An open device: {@code ibv_context}. It creates and owns all other objects.
 *
 * <p>Threads: any, unless the {@link ThreadModel} is SINGLE; the same applies to all objects of the context unless they
 * state otherwise. With
 * {@link Progress#INLINE} nothing is sent or received while no thread polls or waits on an object of the context.
 */
public interface Context extends AutoCloseable {
    /** {@return the device} */
    Device device();

    /** {@return the progress: which threads do input and output} */
    Progress progress();

    /** {@return which threads may use the context and its objects} */
    ThreadModel threadModel();

    /** {@return a new protection domain; the caller closes it} */
    ProtectionDomain allocateProtectionDomain();

    /** {@return a new completion channel; the caller closes it} */
    CompletionChannel createCompletionChannel();

    /**
     * {@return a new completion queue without a channel; see {@link #createCompletionQueue(int, CompletionChannel)}}
     *
     * @param entries minimum capacity
     */
    default CompletionQueue createCompletionQueue(int entries) {
        return createCompletionQueue(entries, null);
    }

    /**
     * {@return a new completion queue; the caller closes it}
     *
     * @param entries minimum capacity. It should be at least the number of work requests that can be outstanding in the
     *     queues that use it, because an overflow ends connections. A smaller capacity is not an error, as with
     *     libibverbs, because unsignalled sends need no place; the log warns once per context when the queue pair is
     *     created. Datagram queue pairs reserve a place for each work request instead, and posting fails without a free
     *     place.
     * @param channel completion channel for {@link CompletionQueue#requestNotification}; null for none
     * @throws RdmaException INVALID_ARGUMENT or LIMIT_REACHED if the capacity exceeds the limits of the device
     */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel);

    /** {@return a new event channel for connection ids; the caller closes it} */
    CmEventChannel createEventChannel();

    /**
     * {@return a new connection id with events on {@code channel}; the caller closes it}
     *
     * @param channel event channel of the id
     */
    CmId createId(CmEventChannel channel);

    /** {@return a new synchronous connection id, whose calls wait for their outcome; the caller closes it} */
    CmId createId();

    /**
     * Resolves a service to a queue pair by a request to a UDP port of the peer, as {@code rdma_cm} does for InfiniBand
     * datagrams (SIDR). Waits for the answer.
     *
     * @param resolver address of the port on which the peer listens for the service
     * @param serviceId service id that the programs agreed on
     * @param parameters parameters of the request
     * @return location of the service
     * @throws RdmaException REJECTED (with private data), NOT_FOUND (no such service), NO_AGREEMENT (no queue pair of
     *     an accepted type), PROTOCOL_MISMATCH (no common version), RESOURCE_BUSY, TIMED_OUT, INTERRUPTED;
     *     NOT_SUPPORTED without a transport for datagrams on the class path
     */
    ResolvedService resolve(InetSocketAddress resolver, long serviceId, ResolveParameters parameters);

    /**
     * Registers a service that peers resolve to a queue pair.
     *
     * @param local address that peers send their requests to; the port of a queue pair or a separate port
     * @param serviceId service id that the programs agreed on
     * @param queuePair queue pair of the service
     * @return the registration; the caller closes it
     * @throws RdmaException ADDRESS_IN_USE if the port is in use or has a service with this id already; NOT_SUPPORTED
     */
    ServiceListener listenService(InetSocketAddress local, long serviceId, DatagramQueuePair queuePair);

    /**
     * Registers a service whose requests {@code handler} answers; otherwise as
     * {@link #listenService(InetSocketAddress, long, DatagramQueuePair)}.
     *
     * @param local address that peers send their requests to
     * @param serviceId service id that the programs agreed on
     * @param handler answers each request
     * @return the registration; the caller closes it
     */
    ServiceListener listenService(InetSocketAddress local, long serviceId, ServiceHandler handler);

    /** {@return the next async event; null if there is none now} */
    @Nullable
    AsyncEvent pollAsyncEvent();

    /**
     * Waits for an async event. With {@link Progress#INLINE} the call drives progress.
     *
     * @param timeout how long to wait
     * @return the event; null after the timeout
     * @throws RdmaException INTERRUPTED; CLOSED if the context is closed meanwhile
     */
    @Nullable
    AsyncEvent awaitAsyncEvent(Duration timeout);

    /**
     * Sets a handler for all later async events, called one at a time. The thread that produces an event calls the
     * handler, or another thread of the context soon afterwards. The rules of {@link CompletionQueue#onCompletion}
     * apply; exceptions are logged. {@link #pollAsyncEvent} and {@link #awaitAsyncEvent} throw WRONG_STATE after this
     * call.
     *
     * @param handler called until the context is closed
     * @throws RdmaException WRONG_STATE if the context has a handler already; CLOSED
     */
    void onAsyncEvent(Consumer<AsyncEvent> handler);

    /**
     * Inline: does the input and output that is possible without waiting. Threaded: no effect.
     *
     * @return whether the call did any input or output
     */
    boolean poll();

    /**
     * Inline: sends posted requests as far as the operating system accepts them now, without processing input. Cheaper
     * than {@link #poll}, but the program must still poll or wait soon, because this call never processes input. If
     * another thread drives the context, that thread sends. Threaded: no effect.
     *
     * @return whether the call did any input or output
     */
    boolean flush();

    /**
     * Inline: waits for input and output and does it: the loop of a thread whose completions and events go to handlers.
     * If another thread drives the context, the call waits until that thread stops driving; if that thread spins, the
     * call may return earlier without effect.
     *
     * @param timeout maximum time to wait
     * @throws RdmaException WRONG_STATE if progress is threaded or the caller is in a handler; INTERRUPTED; CLOSED
     */
    void await(Duration timeout);

    /**
     * On a selector of the program: passes a selected key to the context for the next {@link #poll}. Required only in
     * programs that select with a consumer. Thread: that of the selector.
     *
     * @param key a selected key
     * @return whether the key belongs to this context
     */
    boolean ready(SelectionKey key);

    /**
     * {@return inline: the time in nanoseconds until the program must {@link #poll} even without input, for instance
     * because a timer expires; 0 for at once; {@link Long#MAX_VALUE} if there is no such time} For programs that run a
     * selector. Threaded: {@link Long#MAX_VALUE}.
     */
    long untilPoll();

    /**
     * {@return a new condition of the program that threads can await while the context makes progress; the caller
     * closes it}
     *
     * @param ready returns true once the condition holds. Any thread calls it, and often, so it must be cheap and must
     *     not wait.
     */
    ProgressCondition newCondition(BooleanSupplier ready);

    /**
     * Inline: makes a thread in {@link #await(Duration)} return soon, or the next call of it at once. Threaded: no
     * effect.
     */
    void wakeup();

    /**
     * Reads the file of the setting {@code jwarp.udp.keys} again, and uses its keys for all ports of this context. A
     * context with traffic also notices a change by itself, within ten seconds.
     *
     * @throws RdmaException INVALID_SETTING if there is no such file, or it cannot be used; the keys stay as they are
     */
    void reloadKeys();

    /** {@return the present values of all counters of the context} */
    List<Counter> counters();

    /** {@return all settings with their effective values and sources; {@code auto} is replaced by the choice made} */
    List<EffectiveSetting> configuration();

    /**
     * Closes the context and all its objects: listeners are closed, connections are aborted. Connections that are
     * disconnecting in order, or that have a Terminate to send, first get up to {@code jwarp.rdmap.disconnect-timeout}
     * to finish. Waiting threads get CLOSED. Further calls have no effect.
     */
    @Override
    void close();
}
