package dev.jwarp.base;

/** Hears what {@link Shares} does to holders: counts it, and tells it to the log. On the owner's thread. */
public interface ShareWatcher {
    /** Somebody had to give back so many units, because another one asked. */
    void onTakenBack(long units);

    /** Somebody who asked did not get so many units. */
    void onRefused(long units);

    /** What happened, in a sentence for the log; at most once a minute for each resource. */
    void say(String sentence);
}
