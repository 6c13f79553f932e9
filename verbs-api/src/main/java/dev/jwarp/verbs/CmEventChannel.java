package dev.jwarp.verbs;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of events of connection ids: {@code rdma_event_channel}. Threads: any; each event goes to one of them. With
 * {@link Progress#INLINE}, {@link #poll} and {@link #await} drive progress.
 */
public interface CmEventChannel extends AutoCloseable {
    /** {@return the next event; null if there is none now} */
    @Nullable
    CmEvent poll();

    /**
     * Waits for an event.
     *
     * @param timeout how long to wait
     * @return the event; null after the timeout
     * @throws RdmaException INTERRUPTED, CLOSED
     */
    @Nullable
    CmEvent await(Duration timeout);

    /**
     * Sets a handler for all later events, called one at a time and in order. The thread that produces an event calls
     * the handler: with {@link Progress#THREADED} usually the event loop of the connection, with
     * {@link Progress#INLINE} the thread in {@link Context#poll} or {@link Context#await(Duration)}. An event caused by
     * a call of the program comes soon after that call, never within the call. The rules of
     * {@link CompletionQueue#onCompletion} apply. An exception ends the connection of the event, or rejects the
     * request. {@link #poll} and {@link #await} throw WRONG_STATE after this call.
     *
     * @param handler called until the channel is closed
     * @throws RdmaException WRONG_STATE if the channel has a handler already; CLOSED
     */
    void onEvent(Consumer<CmEvent> handler);

    /**
     * Frees the channel.
     *
     * @throws RdmaException RESOURCE_BUSY if connection ids still use the channel
     */
    @Override
    void close();
}
