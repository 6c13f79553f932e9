package dev.jwarp.base;

/** Hears what {@link Shares} does to holders: tells it to the log, and counts it if that is wanted. On the owner's thread. */
@FunctionalInterface
public interface ShareWatcher {
    /** Somebody had to give back so many units, because another one asked. */
    default void onTakenBack(long units) {}

    /** Somebody who asked did not get so many units. */
    default void onRefused(long units) {}

    /** What happened, in a sentence for the log; at most once a minute for each resource. */
    void say(String sentence);
}
