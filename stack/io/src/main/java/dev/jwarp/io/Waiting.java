package dev.jwarp.io;

import java.util.function.BooleanSupplier;

/**
 * The waits of an owner, and what ends them. Another thread first puts something where the owner looks, then calls
 * {@link #signal}; the owner first calls {@link #begin}, which says that it waits and then looks. So one of the two sees the other:
 * the owner does not wait, or it is woken.
 */
public final class Waiting {
    private final BooleanSupplier idle;
    private final Runnable wake;
    private volatile boolean waiting;
    private volatile boolean wakeRequested;

    /**
     * The owner does not wait.
     *
     * @param idle whether nothing was put where the owner looks; the owner asks
     * @param wake ends a wait under way, or else the next one at once; any thread
     */
    public Waiting(BooleanSupplier idle, Runnable wake) {
        this.idle = idle;
        this.wake = wake;
    }

    // ---- any thread

    /** Something was put where the owner looks: it waits no longer. */
    public void signal() {
        if (waiting) {
            wake.run();
        }
    }

    /** The owner is to stop waiting, though there may be nothing to do; if it does not wait, it is not to begin the next time. */
    public void wakeup() {
        wakeRequested = true;
        signal();
    }

    // ---- owner

    /** {@return whether it may wait: nothing is there} From now on {@link #signal} wakes it, until {@link #end}. */
    public boolean begin() {
        waiting = true;
        return idle.getAsBoolean() && !wakeRequested;
    }

    /** {@return whether it is to stop waiting} For an owner that waits without {@link #begin}. */
    public boolean isWakeRequested() {
        return wakeRequested;
    }

    /** The wait is over, and what was asked of it is done. */
    public void end() {
        if (waiting) {
            waiting = false;
        }
        if (wakeRequested) {
            wakeRequested = false;
        }
    }
}
