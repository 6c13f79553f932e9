package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.Bells;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What other threads want of the owner: connections to be looked at, tasks, and that it stop waiting. Any thread puts
 * in; the owner takes out.
 */
final class Mailbox {
    private final NioSelector selector;
    private final Bells<NioStream> woken = new Bells<>();
    private final ConcurrentLinkedQueue<Runnable> notes = new ConcurrentLinkedQueue<>();
    private volatile boolean waiting;
    private volatile boolean wakeRequested;

    Mailbox(NioSelector selector) {
        this.selector = selector;
    }

    /** Asks the owner to look at a connection. Allocates nothing. */
    void wake(NioStream stream) {
        woken.ring(stream.bell);
        signal();
    }

    /** Leaves a task for the owner. */
    void note(Runnable task) {
        notes.add(task);
        signal();
    }

    /** See {@link dev.jwarp.ddp.llp.Transport#wakeup}. */
    void wakeup() {
        wakeRequested = true;
        signal();
    }

    /** What was put in before is seen by an owner that has not begun to wait; one that has is woken. */
    private void signal() {
        if (waiting) {
            selector.wakeup();
        }
    }

    // ---- owner

    /** {@return whether nothing is there, so that the owner may wait} From now on who puts something in wakes it. */
    boolean beginToWait() {
        waiting = true;
        return isEmpty() && !wakeRequested;
    }

    void endWait() {
        waiting = false;
        wakeRequested = false;
    }

    boolean isWakeRequested() {
        return wakeRequested;
    }

    boolean isEmpty() {
        return woken.isEmpty() && notes.isEmpty();
    }

    boolean hasNotes() {
        return !notes.isEmpty();
    }

    @Nullable
    Runnable nextNote() {
        return notes.poll();
    }

    Bells<NioStream> woken() {
        return woken;
    }
}
