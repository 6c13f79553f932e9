package dev.jwarp.tools.traffic;

import dev.jwarp.verbs.WorkCompletion;

/** What else an end sees to while messages move. It costs them next to nothing, and allocates nothing while there is nothing to see. */
public interface Onlooker {
    /**
     * Looks, if it is time to.
     *
     * @param now as of {@link System#nanoTime}
     * @param idle whether there is nothing else to do
     * @return whether it has looked
     */
    boolean look(long now, boolean idle);

    /** {@return whether to end early} */
    boolean stop();

    /** {@return whether the other end, which is served, needs nothing any more} */
    boolean otherIsDone();

    /** Is told how many messages have moved so far. */
    void moved(long messages);

    /** Is told how long, in nanoseconds, this end has waited for those in all, as it counts their latency. */
    default void waited(long nanos) {}

    /** {@return what to throw as that request failed} */
    RuntimeException why(WorkCompletion completion);
}
