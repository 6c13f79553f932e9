package dev.jwarp.rnic.progress;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.function.BooleanSupplier;

/** Waits for something that the owner of a connection or of a port does for a caller on another thread. */
public final class OwnerAnswer implements Waitable {
    private final Progression progression;
    private final Waiters waiters;
    private final BooleanSupplier over;
    private volatile boolean given;

    /** @param over whether the owner does nothing any more */
    public OwnerAnswer(Progression progression, BooleanSupplier over) {
        this(progression, new Waiters(), over);
    }

    /**
     * One for which the callers sleep where others do.
     *
     * @param waiters what wakes the threads when {@code over} becomes true
     * @param over whether the owner does nothing any more
     */
    public OwnerAnswer(Progression progression, Waiters waiters, BooleanSupplier over) {
        this.progression = progression;
        this.waiters = waiters;
        this.over = over;
    }

    /** It is done. Owner. */
    public void given() {
        given = true;
        progression.signal(this);
    }

    /**
     * Waits until it is done.
     *
     * @return false if the owner did not come to it in that time, or is no more
     */
    public boolean await(long patienceNanos) {
        progression.awaitUninterruptibly(this, patienceNanos);
        return given;
    }

    /** As {@link #await}, but an interrupt ends it: throws INTERRUPTED. */
    public boolean awaitInterruptibly(long patienceNanos) {
        progression.await(this, patienceNanos);
        return given;
    }

    /** Waits until it is done; throws INTERNAL if that does not come. */
    public void awaitSurely(long patienceNanos, String what) {
        if (!await(patienceNanos) && !over.getAsBoolean()) {
            throw new RdmaException(RdmaErrorCode.INTERNAL, "The owner of the port does not get to it: " + what + ".");
        }
    }

    @Override
    public boolean ready() {
        return given || over.getAsBoolean();
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }
}
