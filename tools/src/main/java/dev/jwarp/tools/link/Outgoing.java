package dev.jwarp.tools.link;

import dev.jwarp.verbs.MemoryRegion;
import java.util.function.IntFunction;

/**
 * Memory for messages whose completions are not looked at, on a queue pair that sends in order: it has one place more than Sends
 * can be outstanding, so the next place is never one that a Send still needs, whatever the peer does. One thread.
 */
public final class Outgoing {
    private final MemoryRegion memory;
    private final int length;
    private final int places;
    private int next;

    /**
     * Makes one.
     *
     * @param allocate makes memory of so many bytes
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

    /** {@return where the next message is to be put} The same until it is {@link #posted}. */
    public int offset() {
        return next * length;
    }

    /** The message at {@link #offset} is in the send queue. */
    public void posted() {
        next = (next + 1) % places;
    }
}
