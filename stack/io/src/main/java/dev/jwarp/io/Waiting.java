package dev.jwarp.io;

import java.util.function.BooleanSupplier;

/**
 * The waits of an owner and their wake-ups, without lost wake-ups. Another thread first adds work, then calls
 * {@link #signal}. The owner calls {@link #begin}, which first announces the wait and then checks for work. So one of
 * the two sees the other: the owner does not wait, or it is woken.
 */
public final class Waiting {
    private final BooleanSupplier idle;
    private final Runnable wake;
    private volatile boolean waiting;
    private volatile boolean wakeRequested;

    /**
     * Creates an object whose owner does not wait.
     *
     * @param idle returns whether there is no work; called by the owner
     * @param wake ends the current wait, or else the next one at once; any thread
     */
    public Waiting(BooleanSupplier idle, Runnable wake) {
        this.idle = idle;
        this.wake = wake;
    }

    // ---- any thread

    /** Work was added: ends the wait of the owner. */
    public void signal() {
        if (waiting) {
            wake.run();
        }
    }

    /** Ends the wait of the owner even without work; if the owner is not waiting, its next wait is skipped. */
    public void wakeup() {
        wakeRequested = true;
        signal();
    }

    // ---- owner

    /**
     * {@return whether the owner may wait, because there is no work} From now on {@link #signal} wakes the owner, until
     * {@link #end}.
     */
    public boolean begin() {
        waiting = true;
        return idle.getAsBoolean() && !wakeRequested;
    }

    /** {@return whether the owner must stop waiting} For an owner that waits without {@link #begin}. */
    public boolean isWakeRequested() {
        return wakeRequested;
    }

    /** The wait has ended, and requests to end it are cleared. */
    public void end() {
        if (waiting) {
            waiting = false;
        }
        if (wakeRequested) {
            wakeRequested = false;
        }
    }
}
