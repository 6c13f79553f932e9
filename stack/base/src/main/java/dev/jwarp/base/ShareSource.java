package dev.jwarp.base;

/** All holders of one source address, or of strangers. */
final class ShareSource extends Held<ShareSource> {
    final Place<ShareSource> place = new Place<>(this);
    final Ranking<Share> shares = new Ranking<>();
    long key;
    long held;

    /** The time when the last of the waiting holders asks again. */
    long asksAgain;
}
