package dev.jwarp.conformance.suite;

import dev.jwarp.conformance.script.Patience;

/** What cases are tried on: a device under test within reach. One thread at a time. */
public interface Subject extends AutoCloseable {
    /** The beginning of one case. */
    Attempt attempt(TestCase test, Patience patience);

    /** Whether its program still runs, as far as can be told, after a case; if it has ended, it was started again. */
    default boolean survived() {
        return true;
    }

    @Override
    void close();
}
