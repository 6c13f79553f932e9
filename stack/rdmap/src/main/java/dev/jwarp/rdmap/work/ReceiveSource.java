package dev.jwarp.rdmap.work;

import org.jspecify.annotations.Nullable;

/**
 * Where a stream gets its posted receives: the receive queue of one queue pair, or one that several share. Called by the
 * owner of the stream; an implementation that is shared by streams of several owners synchronizes itself.
 */
public interface ReceiveSource {
    /**
     * Takes the oldest posted receive. It belongs to the stream until {@link #release}.
     *
     * @return null if none is posted
     */
    @Nullable
    ReceiveOperation take();

    /**
     * Gives a taken receive back; its completion has been told to the listener, so its slot may be posted anew. A stream
     * gives them back in the order they were taken; a datagram endpoint in any order.
     */
    void release(ReceiveOperation operation);

    /**
     * Gives a taken receive back that no message has filled: it is the oldest one posted again. Only where others take from it
     * too, and only datagram endpoints.
     */
    default void putBack(ReceiveOperation operation) {
        throw new UnsupportedOperationException("only a shared source takes receives back");
    }

    /** {@return whether {@link #take} answered null because there was no place for a completion} */
    default boolean completionsFull() {
        return false;
    }

    /**
     * {@return whether other streams take from it too} If so, a stream that ends flushes only what it has taken; if not,
     * it takes and flushes the rest.
     */
    boolean shared();
}
