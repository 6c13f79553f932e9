package dev.jwarp.rnic.core;

import dev.jwarp.base.Ringer;
import dev.jwarp.rnic.progress.Progression;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A task that runs on request, on one thread at a time. A request during a run makes the running thread repeat the run.
 * After {@code ROUNDS} runs the thread schedules the next run for later, so that its other work goes on. Any thread.
 */
public abstract class SerialTask {
    /** Runs in a row on one thread. */
    private static final int ROUNDS = 2;

    private final AtomicInteger asked = new AtomicInteger();

    /** Schedules a run; several requests before the run are one. */
    private final Ringer bell;

    /** A task without requests. */
    protected SerialTask(Progression progression) {
        bell = new Ringer(progression::later, this::rung);
    }

    /** Does the work, or a part of it followed by a new request. One thread at a time. */
    protected abstract void doAll();

    /** Called with an exception of {@link #doAll}. Throws nothing. */
    protected abstract void failed(Throwable cause);

    /**
     * Runs the task, or lets the running thread repeat it. May be called within {@link #doAll}, which is not reentered.
     */
    public final void ask() {
        if (asked.getAndIncrement() != 0) {
            return;
        }
        for (int rounds = 0; rounds < ROUNDS; rounds++) {
            int seen = asked.get();
            try {
                doAll();
            } catch (Throwable e) {
                failed(e);
            }
            if (asked.addAndGet(-seen) == 0) {
                return;
            }
        }
        asked.set(0); // the next request runs the task; askLater covers all requests before that
        askLater();
    }

    /** Runs the task soon on a thread that makes progress, not within this call. The caller may hold any lock. */
    public final void askLater() {
        bell.ring();
    }

    private void rung() {
        bell.heard();
        ask();
    }
}
