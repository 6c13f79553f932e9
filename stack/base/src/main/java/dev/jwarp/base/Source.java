package dev.jwarp.base;

/** All holders of one source address, or of strangers. */
final class Source extends Held<Source> {
    final Place<Source> place = new Place<>(this);
    final Ranking<Share> shares = new Ranking<>();
    long key;
    long held;

    /** When the last of those that wait asks again. */
    long asksAgain;
}
