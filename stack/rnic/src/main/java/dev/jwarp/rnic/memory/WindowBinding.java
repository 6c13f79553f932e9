package dev.jwarp.rnic.memory;

import dev.jwarp.ddp.TaggedBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/** A window bound, or about to be bound, to a part of a region, for one queue pair. */
public final class WindowBinding {
    private final RnicMemoryWindow window;
    private final RnicMemoryRegion region;
    private final WindowUser queuePair;
    private final TaggedBuffer buffer;
    private final AtomicBoolean ended = new AtomicBoolean();

    WindowBinding(RnicMemoryWindow window, RnicMemoryRegion region, WindowUser queuePair, TaggedBuffer buffer) {
        this.window = window;
        this.region = region;
        this.queuePair = queuePair;
        this.buffer = buffer;
    }

    public RnicMemoryWindow window() {
        return window;
    }

    WindowUser queuePair() {
        return queuePair;
    }

    public TaggedBuffer buffer() {
        return buffer;
    }

    /** Takes the STag away from peers, and the window off the region. Idempotent. */
    void end() {
        if (ended.compareAndSet(false, true)) {
            region.protectionDomain().core().tags().deregister(buffer);
            region.removeWindow();
            queuePair.bindingEnded(buffer.stag());
        }
    }
}
