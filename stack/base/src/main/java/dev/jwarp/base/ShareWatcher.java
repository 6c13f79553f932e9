package dev.jwarp.base;

/** Hears what {@link Shares} does to holders: tells it to the log, and counts it if that is wanted. On the owner's thread. */
@FunctionalInterface
public interface ShareWatcher {
    /** A holder had to give back so many units, because another one asked. */
    default void onTakenBack(long units) {}

    /** A request for so many units failed. */
    default void onRefused(long units) {}

    /** What happened, in a sentence for the log; at most once a minute for each resource. */
    void say(String sentence);
}
