package dev.jwarp.rnic.progress;

/** A condition that threads wait for, such as a completion or an event. */
public interface Waitable {
    /** {@return whether the condition is fulfilled} Any thread. Called often, so it has to be cheap. */
    boolean ready();

    /** {@return the threads that wait for this; always the same object} */
    Waiters waiters();
}
