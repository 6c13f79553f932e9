package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Patience;

/** A device under test that cases can run on. For one thread at a time. */
@FunctionalInterface
public interface Subject extends AutoCloseable {
    /** Begins an attempt at one case. */
    Attempt attempt(TestCase test, Patience patience);

    /**
     * Called after a case: whether the device's program still runs, as far as the tester can tell. A program that has
     * ended was started again.
     */
    default boolean survived() {
        return true;
    }

    /** Gives back what the device holds between cases. Each case closes its own conversations. */
    @Override
    default void close() {}
}
