package dev.jwarp.verbs;

import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An opened device: {@code ibv_context}. Everything is made from it and belongs to it.
 *
 * <p>Threads: any; the same holds for everything made from it, unless its own page says otherwise. With {@link
 * Progress#INLINE} nothing is sent or received while no thread polls or waits on an object of the context.
 */
public interface Context extends AutoCloseable {
    /** {@return the device} */
    Device device();

    /** {@return which threads send and receive the bytes} */
    Progress progress();

    /** {@return a new protection domain; the caller closes it} */
    ProtectionDomain allocateProtectionDomain();

    /** {@return a new completion channel; the caller closes it} */
    CompletionChannel createCompletionChannel();

    /**
     * {@return a new completion queue without a channel; see {@link #createCompletionQueue(int, CompletionChannel)}}
     *
     * @param entries how many completions it must hold
     */
    default CompletionQueue createCompletionQueue(int entries) {
        return createCompletionQueue(entries, null);
    }

    /**
     * {@return a new completion queue; the caller closes it}
     *
     * @param entries how many completions it must hold: at least as many as work requests can be outstanding in the
     *     queues that use it, because an overflow ends connections. Fewer are no error, as with libibverbs: a program
     *     that asks for few reports of its sends needs fewer. The log has a warning then, once for each context, when
     *     the queue pair is created. Queue pairs for datagrams reserve a place for each work request instead: without a
     *     free place posting fails
     * @param channel gets an event for completions after {@link CompletionQueue#requestNotification}; null for none
     * @throws RdmaException INVALID_ARGUMENT or LIMIT_REACHED if there cannot be so many
     */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel);

    /** {@return a new event channel for connection ids; the caller closes it} */
    CmEventChannel createEventChannel();

    /**
     * {@return a new connection id whose events come through {@code channel}; the caller closes it}
     *
     * @param channel where its events come
     */
    CmId createId(CmEventChannel channel);

    /** {@return a new synchronous connection id: its calls wait for their outcome; the caller closes it} */
    CmId createId();

    /**
     * Finds out where a service is, by asking the resolver of a port: what {@code rdma_cm} does for InfiniBand datagrams
     * (SIDR). Waits for the answer. The device must be one for datagrams.
     *
     * @param resolver address of a port whose program listens for that service
     * @param serviceId as agreed between the programs
     * @param parameters what to say to the peer
     * @return where it is
     * @throws RdmaException REJECTED (refused; with private data), NOT_FOUND (no such service), NO_AGREEMENT (no queue pair
     *     of a welcome type), PROTOCOL_MISMATCH (no common version), RESOURCE_BUSY, TIMED_OUT, INTERRUPTED; NOT_SUPPORTED on
     *     a device for connections
     */
    ResolvedService resolve(InetSocketAddress resolver, long serviceId, ResolveParameters parameters);

    /**
     * Lets a service be resolved to a queue pair. The device must be one for datagrams.
     *
     * @param local where it is to be asked for; the port of a queue pair, or one of its own
     * @param serviceId as agreed between the programs
     * @param queuePair where the service is
     * @return the caller closes it
     * @throws RdmaException ADDRESS_IN_USE if the port is taken or knows such a service already; NOT_SUPPORTED
     */
    ServiceListener listenService(InetSocketAddress local, long serviceId, DatagramQueuePair queuePair);

    /**
     * Lets a service be resolved to what {@code handler} says; otherwise as the method above.
     *
     * @param local where it is to be asked for
     * @param serviceId as agreed between the programs
     * @param handler answers each question
     * @return the caller closes it
     */
    ServiceListener listenService(InetSocketAddress local, long serviceId, ServiceHandler handler);

    /** {@return the next async event, or null if there is none now} */
    @Nullable
    AsyncEvent pollAsyncEvent();

    /**
     * Waits for an async event. With {@link Progress#INLINE} it drives progress meanwhile.
     *
     * @param timeout how long to wait
     * @return the event, or null if none came in time
     * @throws RdmaException INTERRUPTED; CLOSED when the context is closed meanwhile
     */
    @Nullable
    AsyncEvent awaitAsyncEvent(Duration timeout);

    /**
     * Has all async events handed to {@code handler} from now on, one after the other, by the thread that made them or soon after by
     * another one of the context. The rules of {@link CompletionQueue#onCompletion} hold here too; what the handler throws is logged.
     * {@link #pollAsyncEvent} and {@link #awaitAsyncEvent} throw WRONG_STATE from now on.
     *
     * @param handler called until the context is closed
     * @throws RdmaException WRONG_STATE if there is a handler already; CLOSED
     */
    void onAsyncEvent(Consumer<AsyncEvent> handler);

    /**
     * Inline: does what input and output can be done now without waiting. For threads that post and have nothing to
     * poll. Threaded: does nothing.
     *
     * @return whether anything was done
     */
    boolean poll();

    /**
     * Inline: sends what was posted, as far as the system takes it now, without a look at what came. That is cheaper than {@link #poll}, for threads that will poll or wait soon:
     * others must not leave input to itself for ever. Where another thread drives the context, that one sends. Threaded: does nothing.
     *
     * @return whether anything was done
     */
    boolean flush();

    /**
     * Inline: does what input and output can be done, and waits for that if there is nothing to do now: the loop of a thread whose
     * completions and events go to handlers. Where another thread drives the context, waits until that one leaves; beside one that spins it
     * may return earlier, with nothing done.
     *
     * @param timeout how long to wait
     * @throws RdmaException WRONG_STATE if progress is threaded, or the caller is in a handler; INTERRUPTED; CLOSED
     */
    void await(Duration timeout);

    /**
     * On a selector of the program: puts a key aside that was selected, for the next {@link #poll}. For programs that select with a
     * consumer; others need only poll. The thread of the selector.
     *
     * @param key was selected
     * @return whether it is a key of this context
     */
    boolean ready(SelectionKey key);

    /**
     * {@return inline: how long the program may wait for input before it has to {@link #poll}, nanoseconds; 0 if it has to at once;
     * {@link Long#MAX_VALUE} if there is no such time} For programs that run a selector. Threaded: {@link Long#MAX_VALUE}.
     */
    long untilPoll();

    /**
     * {@return a new condition of the program that threads can wait for while the context goes on; the caller closes it}
     *
     * @param ready whether there is nothing to wait for any more; any thread, cheap, asked again and again, waits for nothing
     */
    ProgressCondition newCondition(BooleanSupplier ready);

    /** Inline: a thread in {@link #await(Duration)} comes back soon, or the next one at once. Threaded: does nothing. */
    void wakeup();

    /** {@return every counter of the context, now} */
    List<Counter> counters();

    /** {@return every setting with the value that counts here and where that comes from, and what {@code auto} became} */
    List<EffectiveSetting> configuration();

    /**
     * Ends everything that was made from the context and is still open: listeners are closed, connections are aborted.
     * Connections that are ending in order, or have a Terminate to deliver, first get at most {@code
     * jwarp.rdmap.disconnect-timeout} for it. Waiting threads get CLOSED. More calls do nothing.
     */
    @Override
    void close();
}
