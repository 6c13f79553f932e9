package dev.jwarp.rnic;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes one allocation of jwarp's own code fail. {@link FailingClasses} inserts a call of {@link #check} before each
 * allocation. Any thread.
 */
public final class AllocationFault {
    private static final AtomicInteger LEFT = new AtomicInteger();
    private static volatile boolean armed;
    private static volatile boolean tripped;

    private AllocationFault() {}

    /** Makes the allocation of this number fail, counted from now on; 1 is the next. */
    static void arm(int number) {
        tripped = false;
        LEFT.set(number);
        armed = true;
    }

    /** Lets all further allocations succeed. */
    static void disarm() {
        armed = false;
    }

    /** {@return whether an allocation has failed since the last {@link #arm}} */
    static boolean tripped() {
        return tripped;
    }

    /** Called before each allocation. */
    @SuppressWarnings("unused") // called by generated code
    public static void check() {
        if (armed && LEFT.decrementAndGet() == 0) {
            tripped = true;
            throw new OutOfMemoryError("by a test: no heap for this one") {
                @Override
                public synchronized Throwable fillInStackTrace() {
                    return this;
                }
            };
        }
    }
}
