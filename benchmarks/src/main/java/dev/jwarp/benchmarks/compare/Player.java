package dev.jwarp.benchmarks.compare;

import java.io.IOException;

/** A contender, as the code that gives the turns sees it: something that does a round when asked. */
interface Player extends AutoCloseable {
    /** Waits until the contender is ready; its start began at its creation, so several start at the same time. */
    default void ready() throws IOException {}

    /** Pins all its threads to one core from now on, if the workload requires it; called after its first round. */
    default void settle() throws IOException {}

    /** {@return how many rounds it takes for nothing, to be warm} */
    int warmUps();

    Figures round(int millis) throws IOException;

    @Override
    void close();
}
