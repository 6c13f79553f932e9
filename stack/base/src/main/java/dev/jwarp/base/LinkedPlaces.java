package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/**
 * An intrusive linked list in insertion order, with removal of any entry in constant time. The links are in the
 * entries, so nothing is allocated. One owner, or one lock.
 *
 * @param <E> the entries
 */
public final class LinkedPlaces<E extends LinkedPlaces.Link<E>> {
    /** An entry of at most one list. */
    public abstract static class Link<E> {
        @Nullable
        E before;

        @Nullable
        E after;

        /** Creates an entry outside of any list. */
        protected Link() {}
    }

    private @Nullable E first;
    private @Nullable E last;
    private int size;

    /** Creates an empty list. */
    public LinkedPlaces() {}

    /** {@return the number of entries} */
    public int size() {
        return size;
    }

    /** {@return the first entry; null if there is none} */
    public @Nullable E first() {
        return first;
    }

    /** {@return the next entry; null if there is none} */
    public @Nullable E after(E link) {
        return link.after;
    }

    /** Appends an entry, which must be in no list. */
    public void add(E link) {
        E end = last;
        link.before = end;
        if (end == null) {
            first = link;
        } else {
            end.after = link;
        }
        last = link;
        size++;
    }

    /** {@return whether the entry was in this list; if so it is removed} The entry must be in no other list. */
    public boolean remove(E link) {
        E before = link.before;
        E after = link.after;
        if (before == null && first != link) {
            return false;
        }
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        link.before = null;
        link.after = null;
        size--;
        return true;
    }

    /** {@return the first entry, removed; null if there is none} */
    public @Nullable E poll() {
        E head = first;
        if (head != null) {
            remove(head);
        }
        return head;
    }
}
