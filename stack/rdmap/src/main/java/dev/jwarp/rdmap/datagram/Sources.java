package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import org.jspecify.annotations.Nullable;

/**
 * The sources that make this side hold something now: no more than there are records and Reads of peers. Owner thread only;
 * allocates while it grows.
 */
final class Sources {
    private final KeyedHash hash;
    private final @Nullable Source[] buckets;
    private @Nullable Source free;
    private int size;

    /**
     * Creates an empty table.
     *
     * @param most sources it will hold at a time
     */
    Sources(KeyedHash hash, int most) {
        this.hash = hash;
        buckets = new Source[Integer.highestOneBit(Math.max(1, most))];
    }

    int size() {
        return size;
    }

    /** {@return the entry of a source, made if it is not there; {@link #release} follows} */
    Source hold(DatagramAddress address) {
        long key = hash.source(address);
        int bucket = (int) key & (buckets.length - 1);
        for (Source source = buckets[bucket]; source != null; source = source.link) {
            if (source.hash == key && source.address.equals(address)) {
                source.held++;
                return source;
            }
        }
        Source source = free;
        if (source == null) {
            source = new Source();
        } else {
            free = source.link;
        }
        source.address.set(address);
        source.hash = key;
        source.held = 1;
        source.link = buckets[bucket];
        buckets[bucket] = source;
        size++;
        return source;
    }

    /** Gives one {@link #hold} back. */
    void release(Source source) {
        source.held--;
        if (source.held > 0) {
            return;
        }
        int bucket = (int) source.hash & (buckets.length - 1);
        Source before = null;
        Source at = buckets[bucket];
        while (at != null && at != source) {
            before = at;
            at = at.link;
        }
        if (at == null) {
            throw new IllegalStateException("a source was released once too often: " + source.address);
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
}
