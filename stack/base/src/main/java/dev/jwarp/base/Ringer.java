package dev.jwarp.base;

import java.util.concurrent.atomic.AtomicBoolean;

/** Has a task run soon by its owner: however often it is rung meanwhile, once, and nothing is allocated here. */
public class Ringer {
    /** Who runs the task. */
    public interface Owner {
        /** Runs it later, in a thread of its own. Any thread. */
        void execute(Runnable task);
    }

    private final Owner owner;
    private final Runnable task;
    private final AtomicBoolean rung = new AtomicBoolean();

    /**
     * Rings for a task.
     *
     * @param task calls {@link #heard} first
     */
    public Ringer(Owner owner, Runnable task) {
        this.owner = owner;
        this.task = task;
    }

    /** Any thread. What the owner throws is thrown here, and the next ring tries again. */
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

    /** The task begins, before it looks at anything: a ring from now on wants it to run once more. */
    public final void heard() {
        rung.getAndSet(false); // reads too: what was written before a ring that came too late is seen
    }
}
