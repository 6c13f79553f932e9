package dev.jwarp.rdmap.work;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of reused operations: the work queue of a stream. A producer claims a slot, fills it and
 * publishes it; the consumer reads the slots in order, in place, and releases each when its operation is complete.
 *
 * <p>The operation released last is used again first, because it is still in the cache. There are only as many operations
 * as were ever outstanding at a time, so a queue that is hardly used costs little.
 *
 * <p>Threads: {@link #claim} and {@link #publish} by one thread at a time (several producers share a lock); the consumer
 * methods by the owner of the stream. Publishing and releasing carry the slot's contents from one side to the other.
 *
 * @param <T> what a slot holds, such as {@code SendOperation}
 */
public final class OperationRing<T> {
    private static final VarHandle PUBLISHED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PUBLISHED = lookup.findVarHandle(OperationRing.class, "published", long.class);
            RELEASED = lookup.findVarHandle(OperationRing.class, "released", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final Object[] NONE = {};
    private static final int FIRST_SPARES = 4;

    private final @Nullable Object[] slots;
    private final Supplier<? extends T> factory;
    private final int capacity;
    private final int mask;
    private long published;
    private long released;

    // Of the producer.
    private boolean claimed;
    private long seenReleased;

    /** Operations that no slot in use holds, the warmest last. */
    private Object[] spares = NONE;

    private int spareCount;

    /**
     * Creates the ring.
     *
     * @param capacity how many operations may be outstanding, 1 to 2^20
     * @param factory makes one operation, on the producer's thread
     */
    public OperationRing(int capacity, Supplier<? extends T> factory) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw new IllegalArgumentException("a work queue holds 1 to 1048576 operations, not " + capacity);
        }
        this.capacity = capacity;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        this.slots = new Object[size];
        this.factory = factory;
        this.mask = size - 1;
    }

    /** {@return how many operations may be outstanding} Any thread. */
    public int capacity() {
        return capacity;
    }

    /** {@return a snapshot of how many operations are published and not yet released} Any thread. */
    public int size() {
        long from = (long) RELEASED.getAcquire(this);
        return (int) ((long) PUBLISHED.getAcquire(this) - from);
    }

    /**
     * Producer: the next free slot. Claiming again without {@link #publish} gives the same slot, so an operation that
     * turns out to be wrong is simply not published.
     *
     * @return the slot to fill, or null if the queue is full
     */
    public @Nullable T claim() {
        if (claimed) {
            return slot(published);
        }
        long free = (long) RELEASED.getAcquire(this);
        if (published - free >= capacity) {
            return null;
        }
        for (; seenReleased < free; seenReleased++) {
            spare(slot(seenReleased));
        }
        slots[(int) published & mask] = spareCount > 0 ? spares[--spareCount] : factory.get();
        claimed = true;
        return slot(published);
    }

    private void spare(T operation) {
        if (spareCount == spares.length) {
            spares = Arrays.copyOf(spares, Math.max(FIRST_SPARES, 2 * spareCount));
        }
        spares[spareCount++] = operation;
    }

    /** Producer: hands the slot claimed last to the consumer. */
    public void publish() {
        claimed = false;
        PUBLISHED.setRelease(this, published + 1);
    }

    /** {@return how many operations were ever published: sequence numbers below this one may be read} */
    public long published() {
        return (long) PUBLISHED.getAcquire(this);
    }

    /** {@return how many operations were ever released: the sequence number of the oldest one still in the queue} */
    public long released() {
        return (long) RELEASED.getAcquire(this);
    }

    /** {@return the operation with this sequence number} Consumer; it must be published and not released. */
    public T at(long sequence) {
        return slot(sequence);
    }

    /** Consumer: gives the slot of the oldest operation back to the producer; {@code sequence} must be the oldest. */
    public void release(long sequence) {
        if (sequence != released) {
            throw new IllegalStateException(
                    "operations are released in order: " + released + " is next, not " + sequence);
        }
        RELEASED.setRelease(this, sequence + 1);
    }

    @SuppressWarnings("unchecked") // only the factory fills the slots
    private T slot(long sequence) {
        return (T) slots[(int) sequence & mask];
    }
}
