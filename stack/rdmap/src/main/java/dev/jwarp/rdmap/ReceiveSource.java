package dev.jwarp.rdmap;

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
     * {@return whether other streams take from it too} If so, a stream that ends flushes only what it has taken; if not,
     * it takes and flushes the rest.
     */
    boolean shared();
}
