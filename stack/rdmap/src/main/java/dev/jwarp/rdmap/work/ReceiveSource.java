package dev.jwarp.rdmap.work;

import org.jspecify.annotations.Nullable;

/**
 * The source of a stream's posted receives: the receive queue of one queue pair, or a shared receive queue. Called by
 * the owner of the stream; an implementation shared by streams of several owners synchronizes internally.
 */
public interface ReceiveSource {
    /**
     * Takes the oldest posted receive, which belongs to the stream until {@link #release}.
     *
     * @return null if none is posted
     */
    @Nullable
    ReceiveOperation take();

    /**
     * Releases a taken receive after its completion was reported to the listener; its slot may be posted again. A
     * stream releases receives in the order they were taken; a datagram endpoint in any order.
     */
    void release(ReceiveOperation operation);

    /**
     * Puts an unused receive back as the oldest posted receive. Called by datagram endpoints only, and on shared
     * sources only.
     */
    default void putBack(ReceiveOperation operation) {
        throw new UnsupportedOperationException("only a shared source takes receives back");
    }

    /** {@return whether {@link #take} returned null because the completion queue had no free entry} */
    default boolean completionsFull() {
        return false;
    }

    /**
     * {@return whether other streams take receives from this source} If so, a stream that ends flushes only the
     * receives it has taken; if not, the stream takes and flushes all the others too.
     */
    boolean shared();
}
