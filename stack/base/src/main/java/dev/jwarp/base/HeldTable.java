package dev.jwarp.base;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of reference-counted entries. Peers must not be able to choose the hashes. Entries without holders are
 * reused. Owner thread only; allocates while it grows.
 *
 * @param <E> the entries
 */
public final class HeldTable<E extends Held<E>> {
    private final Supplier<E> maker;
    private @Nullable E[] buckets = array(16);
    private @Nullable E free;
    private int size;

    /**
     * Creates an empty table.
     *
     * @param maker creates an entry
     */
    public HeldTable(Supplier<E> maker) {
        this.maker = maker;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private static <E extends Held<E>> @Nullable E[] array(int length) {
        return (E[]) new Held[length];
    }

    /** {@return how many entries are held} Any thread: a recent value. */
    public int size() {
        return size;
    }

    /** {@return the first entry with that hash, or null} */
    public @Nullable E first(long hash) {
        return from(buckets[bucket(hash)], hash);
    }

    /** {@return the next entry with the hash of this one, or null} */
    public @Nullable E next(E entry) {
        return from(entry.link, entry.hash);
    }

    private @Nullable E from(@Nullable E entry, long hash) {
        E at = entry;
        while (at != null && at.hash != hash) {
            at = at.link;
        }
        return at;
    }

    /** Adds a holder to the entry. */
    public E hold(E entry) {
        entry.holders++;
        return entry;
    }

    /** {@return a new or reused entry with that hash and one holder; the caller clears the fields of an earlier use} */
    public E add(long hash) {
        if (size == buckets.length) {
            grow();
        }
        E entry = free;
        if (entry == null) {
            entry = maker.get();
        } else {
            free = entry.link;
        }
        entry.hash = hash;
        entry.holders = 1;
        put(entry);
        size++;
        return entry;
    }

    /** Removes one holder; without holders the entry is removed. */
    public void release(E entry) {
        entry.holders--;
        if (entry.holders > 0) {
            return;
        }
        int bucket = bucket(entry.hash);
        E before = null;
        E at = buckets[bucket];
        while (at != null && at != entry) {
            before = at;
            at = at.link;
        }
        if (at == null) {
            throw new IllegalStateException("an entry was released once more than it was held: " + entry);
        }
        if (before == null) {
            buckets[bucket] = entry.link;
        } else {
            before.link = entry.link;
        }
        entry.link = free;
        free = entry;
        size--;
    }

    private void put(E entry) {
        int bucket = bucket(entry.hash);
        entry.link = buckets[bucket];
        buckets[bucket] = entry;
    }

    private void grow() {
        @Nullable E[] old = buckets;
        buckets = array(2 * old.length);
        for (E first : old) {
            E entry = first;
            while (entry != null) {
                E next = entry.link;
                put(entry);
                entry = next;
            }
        }
    }

    private int bucket(long hash) {
        return (int) (hash >>> 32) & (buckets.length - 1);
    }
}
