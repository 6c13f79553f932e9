package dev.jwarp.rnic.progress;

import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.function.BooleanSupplier;

/** The answer to a request that a caller on another thread makes to the owner of a connection or port. */
public final class OwnerAnswer implements Waitable {
    private final Progression progression;
    private final Waiters waiters;
    private final BooleanSupplier over;
    private volatile boolean given;

    /** @param over whether the owner has ended */
    public OwnerAnswer(Progression progression, BooleanSupplier over) {
        this(progression, new Waiters(), over);
    }

    /**
     * An answer with the waiters of another object.
     *
     * @param waiters threads that are woken when {@code over} becomes true
     * @param over whether the owner has ended
     */
    public OwnerAnswer(Progression progression, Waiters waiters, BooleanSupplier over) {
        this.progression = progression;
        this.waiters = waiters;
        this.over = over;
    }

    /** The request is done. Owner only. */
    public void given() {
        given = true;
        progression.signal(this);
    }

    /**
     * Waits until the request is done.
     *
     * @return false if the request was not done in that time, or if the owner has ended
     */
    public boolean await(long patienceNanos) {
        progression.awaitUninterruptibly(this, patienceNanos);
        return given;
    }

    /** As {@link #await}, but an interrupt ends the wait with INTERRUPTED. */
    public boolean awaitInterruptibly(long patienceNanos) {
        progression.await(this, patienceNanos);
        return given;
    }

    /** Waits until the request is done or the owner has ended; throws INTERNAL after {@code patienceNanos}. */
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
