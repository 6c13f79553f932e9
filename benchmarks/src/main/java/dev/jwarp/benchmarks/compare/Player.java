package dev.jwarp.benchmarks.compare;

import java.io.IOException;

/** A contender as the scheduler of the rounds sees it: runs a round on request. */
interface Player extends AutoCloseable {
    /** Waits until the contender is ready; it starts at its creation, so several contenders start at the same time. */
    default void ready() throws IOException {}

    /** Pins all its threads to one core from now on, if the workload requires that. */
    default void settle() throws IOException {}

    /** {@return whether its first rounds are slower than later ones} */
    default boolean warmsUp() {
        return true;
    }

    /** {@return the CPU time of its JIT compilers so far, in nanoseconds} */
    default long compiling() {
        return 0;
    }

    Figures round(int millis) throws IOException;

    @Override
    void close();
}
