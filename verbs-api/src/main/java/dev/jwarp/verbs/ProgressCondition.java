package dev.jwarp.verbs;

import java.time.Duration;

/**
 * Something of the program's own that its threads wait for while the context goes on: mostly what a handler of completions or events has to tell a
 * thread in a call that blocks. With inline progress one of the threads that wait drives the context and the others sleep, each until its own
 * condition is signalled or it has to take over. See {@link Context#newCondition}.
 *
 * <p>Threads: any, and any number may wait for one condition.
 */
public interface ProgressCondition extends AutoCloseable {
    /**
     * Waits until the program says that it is ready. Allocates nothing in steady state.
     *
     * @param timeout how long; 0 looks once, and inline does what can be done now if it is not ready yet
     * @return whether it is ready
     * @throws RdmaException INTERRUPTED; CLOSED if this or the context is closed; WRONG_STATE if it is not ready and the caller is in a handler
     */
    boolean await(Duration timeout);

    /** Has the threads that wait look again: to be called after it has become ready. Cheap if none waits. */
    void signal();

    /** Threads that wait get CLOSED. More calls do nothing. */
    @Override
    void close();
}
