package dev.jwarp.base;

import java.util.concurrent.atomic.AtomicBoolean;

/** A doorbell: makes its owner run a task soon, once for all rings before the run. Allocates nothing. */
public class Ringer {
    /** Runs the task. */
    public interface Owner {
        /** Runs the task later, on the owner's thread. Any thread. */
        void execute(Runnable task);
    }

    private final Owner owner;
    private final Runnable task;
    private final AtomicBoolean rung = new AtomicBoolean();

    /**
     * Creates a doorbell for a task.
     *
     * @param task calls {@link #heard} first
     */
    public Ringer(Owner owner, Runnable task) {
        this.owner = owner;
        this.task = task;
    }

    /** Rings. Any thread. An exception of the owner is thrown here, and the next ring tries again. */
    public final void ring() {
        if (!rung.getAndSet(true)) {
            try {
                owner.execute(task);
            } catch (Throwable e) {
                rung.set(false); // the owner has not heard it
                throw e;
            }
        }
    }

    /** The task has started; call it before the task reads anything. A later ring causes another run. */
    public final void heard() {
        rung.getAndSet(false); // a read as well as a write: it sees everything written before a ring that came too late
    }
}
