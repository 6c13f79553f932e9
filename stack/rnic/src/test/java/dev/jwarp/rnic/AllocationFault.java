package dev.jwarp.rnic;

import java.util.concurrent.atomic.AtomicInteger;

/** Makes one allocation of jwarp's own code fail. {@link FailingClasses} has each of them ask here first. Any thread. */
public final class AllocationFault {
    private static final AtomicInteger LEFT = new AtomicInteger();
    private static volatile boolean armed;
    private static volatile boolean tripped;

    private AllocationFault() {}

    /** The allocation of this number from now on fails; 1 is the next. */
    static void arm(int number) {
        tripped = false;
        LEFT.set(number);
        armed = true;
    }

    /** None fails from now on. */
    static void disarm() {
        armed = false;
    }

    /** {@return whether one has failed since the last {@link #arm}} */
    static boolean tripped() {
        return tripped;
    }

    /** Called before each allocation. */
    @SuppressWarnings("unused") // by name
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
