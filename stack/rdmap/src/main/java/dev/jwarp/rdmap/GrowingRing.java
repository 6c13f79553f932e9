package dev.jwarp.rdmap;

import java.util.Objects;
import java.util.function.Supplier;

/**
 * A ring of reused objects for entries that are numbered, begin in order and end in order, such as the Reads of a
 * connection. The ring grows to the largest number of entries ever in use at a time, not to the depth allowed, because
 * most connections use few. Owner thread only; allocates only to grow.
 */
final class GrowingRing<T> {
    private static final Object[] NONE = {};
    private static final int FIRST_SIZE = 4;

    private final Supplier<? extends T> factory;
    private Object[] slots = NONE;

    GrowingRing(Supplier<? extends T> factory) {
        this.factory = factory;
    }

    /**
     * {@return the object for the next number; it still has the state of its earlier use}
     *
     * @param oldest the oldest number that is in use; {@code next} if none is
     * @param next the number after the newest one in use
     */
    T begin(long oldest, long next) {
        if (next - oldest == slots.length) {
            grow(oldest, next);
        }
        int index = index(next);
        if (slots[index] == null) {
            slots[index] = factory.get();
        }
        return at(next);
    }

    /** {@return the object of a number that is in use} */
    @SuppressWarnings("unchecked") // only the factory fills the slots
    T at(long number) {
        return (T) Objects.requireNonNull(slots[index(number)]);
    }

    private void grow(long oldest, long next) {
        Object[] before = slots;
        slots = new Object[Math.max(FIRST_SIZE, before.length * 2)];
        for (long number = oldest; number < next; number++) {
            slots[index(number)] = before[(int) number & (before.length - 1)];
        }
    }

    /** The size is a power of two. */
    private int index(long number) {
        return (int) number & (slots.length - 1);
    }
}
