package dev.jwarp.rnic.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The free entries of a completion queue, a stack: the entry used last is used again first, because it is still in the cache.
 * Taken by any thread, given back by the consumer that has the entry; consumers exclude each other, and an entry that
 * is free already is refused.
 *
 * <p>The links are numbers, and the top goes with a count of all changes: so a thread that was held up between reading the
 * top and replacing it notices that others have been there, also if the same entry is on top again.
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

    /** Of each entry, the one beneath it, as its number plus one; 0 is the bottom. */
    private final int[] beneath;

    /** The entry on top, as its number plus one; above that the count of changes. */
    private volatile long top;

    /** All entries are free. */
    FreeCompletions(int capacity) {
        entries = new Completion[capacity];
        beneath = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            entries[i] = new Completion(this, i);
            beneath[i] = i;
        }
        top = capacity;
    }

    /** {@return an entry that is the caller's now; null if all are in use} */
    @Nullable
    Completion take() {
        while (true) {
            long seen = top;
            int number = (int) (seen & NUMBER) - 1;
            if (number < 0) {
                return null;
            }
            // If this is out of date, so is what was seen, and it is tried again.
            long rest = (seen & ~NUMBER) + CHANGE | beneath[number];
            if (TOP.compareAndSet(this, seen, rest)) {
                Completion entry = entries[number];
                entry.claimed();
                return entry;
            }
        }
    }

    /** Gives back an entry that {@link #take} gave. */
    void give(Completion entry) {
        entry.freed();
        int number = entry.number();
        long seen;
        do {
            seen = top;
            beneath[number] = (int) seen;
        } while (!TOP.compareAndSet(this, seen, (seen & ~NUMBER) + CHANGE | number + 1));
    }
}
