package dev.jwarp.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One place to wait for several completion queues: {@code ibv_comp_channel}. An event is taken by one thread and needs
 * no acknowledgement. Threads: any. With {@link Progress#INLINE}, both calls drive progress.
 */
public interface CompletionChannel extends AutoCloseable {
    /** {@return a queue that has completions since its notification was requested; null if there is none now} */
    @Nullable
    CompletionQueue poll();

    /**
     * Waits for a queue that has completions since its notification was requested.
     *
     * @param timeout how long to wait
     * @return the queue; null if there was none in time
     * @throws RdmaException INTERRUPTED, CLOSED
     */
    @Nullable
    CompletionQueue await(Duration timeout);

    /**
     * Frees the channel.
     *
     * @throws RdmaException RESOURCE_BUSY if completion queues still use it
     */
    @Override
    void close();
}
