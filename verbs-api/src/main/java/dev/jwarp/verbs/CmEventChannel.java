package dev.jwarp.verbs;

import java.time.Duration;
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
     * Frees the channel.
     *
     * @throws RdmaException RESOURCE_BUSY if connection ids still use it
     */
    @Override
    void close();
}
