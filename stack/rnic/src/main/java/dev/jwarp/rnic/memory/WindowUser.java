package dev.jwarp.rnic.memory;

/** A queue pair as the memory windows see it that are bound through it. Any thread. */
public interface WindowUser {
    /** {@return its number} */
    int number();

    /** A binding is over that was posted to it: the one with this STag. Either side may have ended it. */
    void bindingEnded(int stag);
}
