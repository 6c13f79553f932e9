package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/** All holders of one source address, or of strangers. */
final class Source {
    final Place<Source> place = new Place<>(this);
    final Ranking<Share> shares = new Ranking<>();
    long key;
    long held;

    /** Of a rate: the period that {@link #held} is of. */
    long period;

    int members;

    /** The chain of the table, or of free ones. */
    @Nullable
    Source link;
}
