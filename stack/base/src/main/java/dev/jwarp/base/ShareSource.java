package dev.jwarp.base;

/** All holders of one source address, or of strangers. */
final class ShareSource extends Held<ShareSource> {
    final Place<ShareSource> place = new Place<>(this);
    final Ranking<Share> shares = new Ranking<>();
    long key;
    long held;

    /** When the last of those that wait asks again. */
    long asksAgain;
}
