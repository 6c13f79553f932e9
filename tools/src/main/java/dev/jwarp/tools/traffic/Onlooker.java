package dev.jwarp.tools.traffic;

import dev.jwarp.verbs.WorkCompletion;

/** Watches other events while messages move. A look costs little, and allocates nothing without an event. */
public interface Onlooker {
    /**
     * Looks, if it is time for a look.
     *
     * @param now as of {@link System#nanoTime}
     * @param idle whether the caller has nothing else to do
     * @return whether there was a look
     */
    boolean look(long now, boolean idle);

    /** {@return whether to end early} */
    boolean stop();

    /** {@return whether the other end is done and needs no more service} */
    boolean otherIsDone();

    /** Receives the number of messages moved so far. */
    void moved(long messages);

    /** Receives the sum of the latencies of those messages, in nanoseconds. */
    default void waited(long nanos) {}

    /** {@return the exception for a failed work request} */
    RuntimeException why(WorkCompletion completion);
}
