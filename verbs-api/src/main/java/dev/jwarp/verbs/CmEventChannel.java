package dev.jwarp.verbs;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of connection ids come: {@code rdma_event_channel}. Threads: any; each event is given to one of
 * them. With {@link Progress#INLINE}, both calls drive progress.
 */
public interface CmEventChannel extends AutoCloseable {
    /** {@return the next event, or null if there is none now} */
    @Nullable
    CmEvent poll();

    /**
     * Waits for an event.
     *
     * @param timeout how long to wait
     * @return the event; null if there was none in time
     * @throws RdmaException INTERRUPTED, CLOSED
     */
    @Nullable
    CmEvent await(Duration timeout);

    /**
     * Has all events handed to {@code handler} from now on, one after the other and in their order, by the thread that made them:
     * with {@link Progress#THREADED} mostly the event loop of the connection, with {@link Progress#INLINE} the thread in {@link
     * Context#poll} or {@link Context#await(Duration)}. An event that a call of the program itself causes comes soon after that call,
     * never within it. The rules of {@link CompletionQueue#onCompletion} hold here too; what the handler throws ends the connection
     * of that event, or refuses the request. {@link #poll} and {@link #await} throw WRONG_STATE from now on.
     *
     * @param handler called until the channel is closed
     * @throws RdmaException WRONG_STATE if there is a handler already; CLOSED
     */
    void onEvent(Consumer<CmEvent> handler);

    /**
     * Frees the channel.
     *
     * @throws RdmaException RESOURCE_BUSY if connection ids still use it
     */
    @Override
    void close();
}
