package dev.jwarp.benchmarks.compare;

import java.io.IOException;

/** A contender, as the code that gives the turns sees it: something that does a round when asked. */
interface Player extends AutoCloseable {
    /** Waits until it can begin; what it waits for was begun when it was made, so that several begin at a time. */
    default void ready() throws IOException {}

    /** Has all its threads share one core from now on, if it is to; called when it has done a round. */
    default void settle() throws IOException {}

    /** {@return how many rounds it takes for nothing, to be warm} */
    int warmUps();

    Figures round(int millis) throws IOException;

    @Override
    void close();
}
