package dev.jwarp.sockets;

import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A context and who drives it: the threads that are in calls of the program, one at a time, while the others sleep; the caretaker when none is. Any thread. */
final class DrivenContext {
    private final Context context;
    private final Caretaker caretaker;

    /**
     * Begins to take care of it.
     *
     * @param context with inline progress
     */
    DrivenContext(Context context) {
        this.context = context;
        caretaker = new Caretaker(context);
    }

    Caretaker caretaker() {
        return caretaker;
    }

    /** {@return a condition to {@link #await}} */
    ProgressCondition newCondition(BooleanSupplier ready) {
        return context.newCondition(ready);
    }

    /** Waits, and drives the context meanwhile. Returns early if the time is over, the condition is closed, or the thread is interrupted. */
    void await(ProgressCondition condition, Duration timeout) {
        caretaker.enter();
        try {
            caretaker.flushAll();
            condition.await(timeout);
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.INTERRUPTED && e.code() != RdmaErrorCode.CLOSED) {
                throw e;
            }
        } finally {
            caretaker.drove();
            caretaker.leave();
        }
    }

    /** Sends what was posted. */
    void flush() {
        caretaker.enter();
        try {
            context.flush();
        } finally {
            caretaker.leave();
        }
    }

    /** Does what can be done without waiting. */
    void poll() {
        caretaker.enter();
        try {
            context.poll();
        } finally {
            caretaker.drove();
            caretaker.leave();
        }
    }
}
