package dev.jwarp.rnic;

import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;

/** A task of a connection's owner: reached when the owner has finished the call it was in. */
final class Fence implements Waitable {
    private final Progression progression;
    private final QueuePairStream stream;
    private volatile boolean reached;

    /** A fence that also falls when {@code stream} is over: its owner may run no tasks then. */
    Fence(Progression progression, QueuePairStream stream) {
        this.progression = progression;
        this.stream = stream;
    }

    void reached() {
        reached = true;
        progression.signal(this);
    }

    /** Waits for it, however long that takes: an owner that gets no processor time is alive. */
    void await() {
        progression.awaitUninterruptibly(this, Long.MAX_VALUE);
    }

    @Override
    public boolean ready() {
        return reached || stream.ready();
    }

    @Override
    public Waiters waiters() {
        return stream.waiters();
    }
}
