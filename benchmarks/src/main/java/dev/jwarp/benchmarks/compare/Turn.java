package dev.jwarp.benchmarks.compare;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Whether it is a contender's turn: a far end that spins must not do so in the rounds of others. */
final class Turn {
    /** It is looked at again after this, should the word of a beginning have come too early. */
    private static final long LOOK_NANOS = 10_000_000;

    /** True at first, for the connection to be made. */
    private volatile boolean now = true;

    private volatile @Nullable Thread waiter;

    /** The near end begins a round. */
    void begin() {
        now = true;
        LockSupport.unpark(waiter);
    }

    /** It has ended one: nothing is under way. */
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
}
