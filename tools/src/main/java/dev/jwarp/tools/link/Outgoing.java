package dev.jwarp.tools.link;

import dev.jwarp.verbs.MemoryRegion;
import java.util.function.IntFunction;

/**
 * A ring of places for outgoing messages, without tracking of completions. Sends complete in order, and the ring has
 * one place more than Sends can be outstanding, so no Send still uses the next place. One thread.
 */
public final class Outgoing {
    private final MemoryRegion memory;
    private final int length;
    private final int places;
    private int next;

    /**
     * Makes the ring.
     *
     * @param allocate allocates memory of so many bytes
     * @param sends depth of the send queue
     * @param length bytes of the longest message
     */
    public Outgoing(IntFunction<MemoryRegion> allocate, int sends, int length) {
        places = sends + 1;
        this.length = length;
        memory = allocate.apply(places * length);
    }

    /** {@return the memory of all places} */
    public MemoryRegion memory() {
        return memory;
    }

    /** {@return the offset of the next message} It stays the same until {@link #posted}. */
    public int offset() {
        return next * length;
    }

    /** Notes that the message at {@link #offset} is in the send queue. */
    public void posted() {
        next = (next + 1) % places;
    }
}
