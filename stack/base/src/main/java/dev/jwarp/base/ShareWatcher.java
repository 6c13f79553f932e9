package dev.jwarp.base;

/** Observes {@link Shares}, for logs and counters. Called on the owner's thread. */
@FunctionalInterface
public interface ShareWatcher {
    /** A holder had to return units for another one. */
    default void onTakenBack(long units) {}

    /** A request for units failed. */
    default void onRefused(long units) {}

    /** A sentence for the log, at most once per minute and resource. */
    void say(String sentence);
}
