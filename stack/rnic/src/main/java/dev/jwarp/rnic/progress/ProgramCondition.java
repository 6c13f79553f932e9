package dev.jwarp.rnic.progress;

import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A condition of the program. Any thread. */
public final class ProgramCondition implements ProgressCondition, Waitable {
    private final Progression progression;
    private final BooleanSupplier ready;
    private final Consumer<ProgramCondition> forget;
    private final Waiters waiters;
    private volatile boolean closed;

    /**
     * An open condition.
     *
     * @param ready the program's test
     * @param forget called with this condition when the condition is closed
     */
    public ProgramCondition(Progression progression, BooleanSupplier ready, Consumer<ProgramCondition> forget) {
        this.progression = progression;
        this.ready = ready;
        this.forget = forget;
        waiters = new Waiters();
    }

    @Override
    public boolean await(Duration timeout) {
        boolean done = progression.await(this, Progression.nanos(timeout));
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The condition, or its context, is closed.");
        }
        return done;
    }

    @Override
    public void signal() {
        progression.signal(this);
    }

    @Override
    public boolean ready() {
        return closed || ready.getAsBoolean();
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }

    @Override
    public void close() {
        closed = true;
        forget.accept(this);
        progression.signal(this);
    }
}
