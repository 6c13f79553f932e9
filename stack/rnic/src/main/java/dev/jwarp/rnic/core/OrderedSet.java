package dev.jwarp.rnic.core;

import dev.jwarp.base.Faults;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A set that iterates in insertion order, because in a simulation the same seed must give the same run. An element
 * takes 10 to 25 bytes, compared with 50 in the sets of {@code java.util}; a context has several sets of its
 * connections. An iteration works on a snapshot. A removal allocates nothing. Any thread.
 */
public final class OrderedSet<T> extends AbstractSet<T> {
    // Modified under the monitor.

    /** Elements in insertion order; null for a removed one. Three quarters as long as the table. */
    private @Nullable Object[] things = new Object[6];

    /**
     * Open hash table with linear probing. A slot has the index of the element in {@link #things}, plus 1; 0 is a free
     * slot.
     */
    private int[] table = new int[8];

    /** Index after the last used one in {@link #things}. */
    private int end;

    private volatile int size;

    private OrderedSet() {}

    /** {@return an empty set} To iterate, use {@link #forEach}. */
    public static <T> Set<T> newSet() {
        return new OrderedSet<>();
    }

    /**
     * Calls {@code what} for each element that is in {@code set} now. An exception is thrown only after all calls. The
     * set may change meanwhile.
     */
    public static <T> void forEach(Set<T> set, Consumer<? super T> what) {
        @Nullable Throwable thrown = null;
        for (T one : List.copyOf(set)) {
            try {
                what.accept(one);
            } catch (RuntimeException | Error e) {
                if (thrown == null) {
                    thrown = e;
                } else {
                    Faults.suppress(thrown, e);
                }
            }
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof RuntimeException exception) {
            throw exception;
        }
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public synchronized boolean contains(@Nullable Object thing) {
        return thing != null && table[slot(thing)] != 0;
    }

    @Override
    public synchronized boolean add(T thing) {
        int slot = slot(thing);
        if (table[slot] != 0) {
            return false;
        }
        if (end == things.length) {
            makeRoom();
            slot = slot(thing);
        }
        things[end++] = thing;
        table[slot] = end;
        size = size + 1;
        return true;
    }

    @Override
    public synchronized boolean remove(@Nullable Object thing) {
        int slot = thing == null ? 0 : slot(thing);
        if (thing == null || table[slot] == 0) {
            return false;
        }
        things[table[slot] - 1] = null;
        size = size - 1;
        free(slot);
        return true;
    }

    @Override
    @SuppressWarnings("unchecked") // only elements of type T were added
    public Iterator<T> iterator() {
        return (Iterator<T>) List.of(toArray()).iterator();
    }

    @Override
    public synchronized Object[] toArray() {
        Object[] present = new Object[size];
        int count = 0;
        for (Object thing : things) {
            if (thing != null) {
                present[count++] = thing;
            }
        }
        return present;
    }

    /** {@return the current capacity; for tests} */
    synchronized int room() {
        return things.length;
    }

    private int home(@Nullable Object thing) {
        int hash = thing == null ? 0 : thing.hashCode();
        return (hash ^ hash >>> 16) & table.length - 1;
    }

    private int behind(int slot) {
        return slot + 1 & table.length - 1;
    }

    /** {@return the slot of {@code thing}, or else the free slot to insert it} */
    private int slot(Object thing) {
        int slot = home(thing);
        while (table[slot] != 0 && !thing.equals(things[table[slot] - 1])) {
            slot = behind(slot);
        }
        return slot;
    }

    /** Frees a slot. Later entries up to the next free slot move up, so that probing still finds them. */
    private void free(int slot) {
        int hole = slot;
        for (int next = behind(hole); table[next] != 0; next = behind(next)) {
            int far = next - home(things[table[next] - 1]) & table.length - 1;
            if (far >= (next - hole & table.length - 1)) {
                table[hole] = table[next];
                hole = next;
            }
        }
        table[hole] = 0;
    }

    /** Removes the gaps, and doubles both arrays if there are few gaps. */
    private void makeRoom() {
        int length = size > things.length / 2 ? 2 * table.length : table.length;
        @Nullable Object[] before = things;
        @Nullable Object[] roomier = new Object[length / 4 * 3];
        table = new int[length];
        things = roomier;
        end = 0;
        for (Object thing : before) {
            if (thing != null) {
                int slot = slot(thing);
                things[end++] = thing;
                table[slot] = end;
            }
        }
    }
}
