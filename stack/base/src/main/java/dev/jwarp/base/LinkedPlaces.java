package dev.jwarp.base;

import org.jspecify.annotations.Nullable;

/**
 * Things in the order in which they were added; any can be taken out at once. The links are in the things themselves: nothing
 * is allocated. One owner, or one lock.
 *
 * @param <E> the entries
 */
public final class LinkedPlaces<E extends LinkedPlaces.Link<E>> {
    /** Something that is in one list at most. */
    public abstract static class Link<E> {
        @Nullable
        E before;

        @Nullable
        E after;

        /** Is in no list. */
        protected Link() {}
    }

    private @Nullable E first;
    private @Nullable E last;
    private int size;

    /** Creates an empty one. */
    public LinkedPlaces() {}

    /** {@return how many there are} */
    public int size() {
        return size;
    }

    /** {@return the one that was added first; null if there is none} */
    public @Nullable E first() {
        return first;
    }

    /** {@return the one that was added next; null if there is none} */
    public @Nullable E after(E link) {
        return link.after;
    }

    /** Adds one at the end; it must be in no list. */
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

    /** {@return whether it was in it: it is taken out} It must be in no other list. */
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

    /** {@return the first, taken out; null if there is none} */
    public @Nullable E poll() {
        E head = first;
        if (head != null) {
            remove(head);
        }
        return head;
    }
}
