package dev.jwarp.transport.tcp.nio;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The connections that somebody wants to be looked at: any thread adds, the owner takes all at once. The links are in
 * the connections themselves, and each is in the list at most once, so that a doorbell allocates nothing.
 */
final class WokenStreams {
    private final AtomicReference<@Nullable NioStream> head = new AtomicReference<>();

    boolean isEmpty() {
        return head.get() == null;
    }

    void add(NioStream stream) {
        if (stream.woken.getAndSet(true)) {
            return; // the look that is due will see what this caller has to show
        }
        NioStream next;
        do {
            next = head.get();
            stream.nextWoken = next;
        } while (!head.compareAndSet(next, stream));
    }

    /** {@return the first of all that were added, to be followed with {@link #next}; null if there are none} */
    @Nullable
    NioStream takeAll() {
        return head.get() == null ? null : head.getAndSet(null);
    }

    /** {@return the one behind {@code stream}, which may be added again from now on} */
    @Nullable
    static NioStream next(NioStream stream) {
        NioStream next = stream.nextWoken;
        stream.nextWoken = null;
        stream.woken.getAndSet(false); // reads too: what was written before an add that came too late is seen
        return next;
    }
}
