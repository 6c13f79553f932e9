package dev.jwarp.tools.demo;

import dev.jwarp.verbs.ValidityMap;

/** The map of a message of which nothing came, not even the news of it. */
record NothingCame(long length) implements ValidityMap {
    @Override
    public long validBytes() {
        return 0;
    }

    @Override
    public long nextValid(long offset) {
        return length;
    }

    @Override
    public long nextMissing(long offset) {
        return Math.min(offset, length);
    }

    @Override
    public int granule() {
        return (int) Math.max(1, length);
    }

    @Override
    public int copyTo(long[] words) {
        if (words.length > 0) {
            words[0] = 0;
        }
        return 1;
    }
}
