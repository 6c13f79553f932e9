package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/**
 * The sources that have a share now, by their keys, hashed with a secret, as strangers choose them. Owner thread only;
 * allocates while it grows.
 */
final class SourceMap {
    private final long secret;
    private @Nullable Source[] buckets = new Source[16];
    private @Nullable Source free;
    private int size;

    SourceMap(long secret) {
        this.secret = secret;
    }

    int size() {
        return size;
    }

    /** {@return the source with that key, made if it is not there, with one member more} */
    Source join(long key) {
        int bucket = bucket(key);
        for (Source source = buckets[bucket]; source != null; source = source.link) {
            if (source.key == key) {
                source.members++;
                return source;
            }
        }
        if (size == buckets.length) {
            grow();
            bucket = bucket(key);
        }
        Source source = free;
        if (source == null) {
            source = new Source();
        } else {
            free = source.link;
        }
        source.key = key;
        source.held = 0;
        source.period = 0;
        source.members = 1;
        source.link = buckets[bucket];
        buckets[bucket] = source;
        size++;
        return source;
    }

    /** A member leaves; the source goes with the last one. */
    void leave(Source source) {
        source.members--;
        if (source.members > 0) {
            return;
        }
        int bucket = bucket(source.key);
        Source before = null;
        Source at = buckets[bucket];
        while (at != null && at != source) {
            before = at;
            at = at.link;
        }
        if (at == null) {
            throw new IllegalStateException("a source lost one member more than it had: " + source.key);
        }
        if (before == null) {
            buckets[bucket] = source.link;
        } else {
            before.link = source.link;
        }
        source.link = free;
        free = source;
        size--;
    }

    private void grow() {
        @Nullable Source[] old = buckets;
        buckets = new Source[2 * old.length];
        for (Source first : old) {
            Source source = first;
            while (source != null) {
                Source next = source.link;
                int bucket = bucket(source.key);
                source.link = buckets[bucket];
                buckets[bucket] = source;
                source = next;
            }
        }
    }

    /** The finalizer of SplitMix64, twice, with a secret before each. */
    private int bucket(long key) {
        return (int) (mix(mix(key ^ secret) + secret) >>> 32) & (buckets.length - 1);
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
        return z ^ (z >>> 31);
    }
}
