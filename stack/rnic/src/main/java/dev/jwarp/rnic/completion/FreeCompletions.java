package dev.jwarp.rnic.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The free entries of a completion queue. They are a stack, so that the entry used last, which is still in the cache,
 * is reused first. Any thread takes an entry, or the only thread of the context; the consumer that has the entry
 * returns it. Consumers exclude each other. A second return of an entry throws.
 *
 * <p>The links are numbers, and the top contains a count of changes. A compare-and-set therefore fails after a change
 * by another thread, even if the same entry is on top again (the ABA problem).
 */
final class FreeCompletions {
    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(FreeCompletions.class, "top", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final long NUMBER = 0xffff_ffffL;
    private static final long CHANGE = 1L << Integer.SIZE;

    private final Completion[] entries;

    /** For each entry, the number of the entry beneath it, plus one; 0 at the bottom. */
    private final int[] beneath;

    /** Whether one thread alone takes and returns entries. */
    private final boolean single;

    /** Lower half: the number of the top entry plus one. Upper half: the count of changes. */
    private volatile long top;

    /** All entries are free. */
    FreeCompletions(int capacity, boolean single) {
        this.single = single;
        entries = new Completion[capacity];
        beneath = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            entries[i] = new Completion(this, i);
            beneath[i] = i;
        }
        top = capacity;
    }

    /** {@return an entry for the caller; null if all are in use} */
    @Nullable
    Completion take() {
        while (true) {
            long seen = top;
            int number = (int) (seen & NUMBER) - 1;
            if (number < 0) {
                return null;
            }
            // If beneath[number] is outdated, seen is outdated too, and the compare-and-set fails.
            long rest = (seen & ~NUMBER) + CHANGE | beneath[number];
            if (replace(seen, rest)) {
                Completion entry = entries[number];
                entry.claimed();
                return entry;
            }
        }
    }

    /** Returns an entry that came from {@link #take}. */
    void give(Completion entry) {
        entry.freed();
        int number = entry.number();
        long seen;
        do {
            seen = top;
            beneath[number] = (int) seen;
        } while (!replace(seen, (seen & ~NUMBER) + CHANGE | number + 1));
    }

    private boolean replace(long seen, long next) {
        if (single) {
            TOP.set(this, next);
            return true;
        }
        return TOP.compareAndSet(this, seen, next);
    }
}
