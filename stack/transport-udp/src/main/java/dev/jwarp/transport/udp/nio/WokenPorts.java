package dev.jwarp.transport.udp.nio;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The ports that want to be looked at: any thread adds, the owner takes all at once. The links are in the ports themselves,
 * and each is in the list at most once: nothing is allocated, and ports that sleep cost nothing.
 */
final class WokenPorts {
    private final AtomicReference<@Nullable NioPort> head = new AtomicReference<>();

    boolean isEmpty() {
        return head.get() == null;
    }

    void add(NioPort port) {
        if (port.inWoken.getAndSet(true)) {
            return; // the look that is due will see what this caller has to show
        }
        NioPort next;
        do {
            next = head.get();
            port.nextWoken = next;
        } while (!head.compareAndSet(next, port));
    }

    /** {@return the first of all that were added, to be followed with {@link #next}; null if there are none} */
    @Nullable
    NioPort takeAll() {
        return head.get() == null ? null : head.getAndSet(null);
    }

    /** {@return the one behind {@code port}, which may be added again from now on} */
    @Nullable
    static NioPort next(NioPort port) {
        NioPort next = port.nextWoken;
        port.nextWoken = null;
        port.inWoken.getAndSet(false); // reads too: what was written before an add that came too late is seen
        return next;
    }
}
