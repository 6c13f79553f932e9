package dev.jwarp.rnic.progress;

/** Something that threads wait for: a completion, an event. */
public interface Waitable {
    /** {@return whether there is nothing to wait for any more} Any thread; cheap; asked again and again. */
    boolean ready();

    /** {@return where threads that wait for this sleep: always the same} */
    Waiters waiters();
}
