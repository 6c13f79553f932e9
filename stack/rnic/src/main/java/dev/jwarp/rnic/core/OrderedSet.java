package dev.jwarp.rnic.core;

import dev.jwarp.base.Faults;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A set that is gone through in the order in which things came: in a simulation the same seed must give the same run. It takes
 * 10 to 25 bytes for each where those of {@code java.util} take 50: a context has several for its connections. Who goes
 * through it sees what was in it at the beginning. To take out needs no memory. Any thread.
 */
public final class OrderedSet<T> extends AbstractSet<T> {
    // Changed under the monitor.

    /** In order; null where one was taken out. Three quarters as long as the table. */
    private @Nullable Object[] things = new Object[6];

    /** At the hash of each thing, or in the next free slot behind: its index in {@link #things} and 1. 0 where there is none. */
    private int[] table = new int[8];

    /** All behind is free. */
    private int end;

    private volatile int size;

    private OrderedSet() {}

    /** {@return an empty set} Any thread; to go through it use {@link #forEach}. */
    public static <T> Set<T> newSet() {
        return new OrderedSet<>();
    }

    /** Does it to all that are in {@code set} now, also where it throws for some; it may change meanwhile. */
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
    @SuppressWarnings("unchecked") // nothing else was put in
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

    /** {@return how many it has room for: for tests} */
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

    /** {@return where the table has it, or else the free slot where it belongs} */
    private int slot(Object thing) {
        int slot = home(thing);
        while (table[slot] != 0 && !thing.equals(things[table[slot] - 1])) {
            slot = behind(slot);
        }
        return slot;
    }

    /** Those behind, up to the next free slot, move up, so that none stands behind a free slot and before its own. */
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

    /** Takes the gaps out, and doubles both arrays where there are few. */
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
