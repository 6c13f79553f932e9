package dev.jwarp.verbs;

import java.time.Duration;

/**
 * A condition of the program that threads await while the context makes progress; typically a completion or event
 * handler signals it to a thread in a blocking call. With inline progress one waiting thread drives the context. The
 * other threads sleep until their own condition is signalled or until they take over the driving. See
 * {@link Context#newCondition}.
 *
 * <p>Threads: any; several threads may await one condition.
 */
public interface ProgressCondition extends AutoCloseable {
    /**
     * Waits until the condition is true. Allocates nothing in steady state.
     *
     * @param timeout maximum time to wait; 0 checks once and, with inline progress, does the input and output that is
     *     possible without waiting if the condition is false
     * @return whether the condition is true
     * @throws RdmaException INTERRUPTED; CLOSED if this object or the context is closed; WRONG_STATE if the condition
     *     is false and the caller is in a handler
     */
    boolean await(Duration timeout);

    /**
     * Wakes the waiting threads to check the condition again. Call it after the condition has become true. Cheap if no
     * thread waits.
     */
    void signal();

    /** Closes the condition; waiting threads get CLOSED. Further calls have no effect. */
    @Override
    void close();
}
