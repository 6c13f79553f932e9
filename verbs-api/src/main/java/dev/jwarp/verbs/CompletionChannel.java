package dev.jwarp.verbs;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A place to wait for several completion queues: {@code ibv_comp_channel}. Each event goes to one thread and needs no
 * acknowledgement. Threads: any. With {@link Progress#INLINE}, {@link #poll} and {@link #await} drive progress.
 */
public interface CompletionChannel extends AutoCloseable {
    /** {@return a queue that got completions after its notification was requested; null if there is none now} */
    @Nullable
    CompletionQueue poll();

    /**
     * Waits for a queue that got completions after its notification was requested.
     *
     * @param timeout how long to wait
     * @return the queue; null after the timeout
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
