package dev.jwarp.benchmarks.compare;

import dev.jwarp.tools.traffic.Onlooker;
import dev.jwarp.verbs.WorkCompletion;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Whether it is the contender's turn: a spinning far end must not spin in the rounds of other contenders. */
final class Turn implements Onlooker {
    /** Interval of polling, in case the signal of a beginning came too early. */
    private static final long LOOK_NANOS = 10_000_000;

    /** True at first, for the set-up of the connection. */
    private volatile boolean now = true;

    private volatile @Nullable Thread waiter;

    /** The near end begins a round. */
    void begin() {
        now = true;
        LockSupport.unpark(waiter);
    }

    /** The near end has ended a round: no message is in flight. */
    void end() {
        now = false;
    }

    /** The far end sleeps until it is its turn. */
    void await() {
        while (!now) {
            waiter = Thread.currentThread();
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** The far end serves while it is its turn. */
    @Override
    public boolean otherIsDone() {
        return !now;
    }

    @Override
    public boolean look(long at, boolean idle) {
        return false;
    }

    @Override
    public boolean stop() {
        return false;
    }

    @Override
    public void moved(long messages) {}

    @Override
    public RuntimeException why(WorkCompletion completion) {
        return new IllegalStateException(completion.describe());
    }
}
