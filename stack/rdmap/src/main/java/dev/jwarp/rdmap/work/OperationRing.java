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
 * <p>The operation released last is used again first, because it is still in the cache. The ring creates only as many
 * operations as were ever outstanding at a time, so a lightly used queue takes little memory.
 *
 * <p>Threads: {@link #claim} and {@link #publish} by one thread at a time (several producers share a lock); the
 * consumer methods by the owner of the stream. Publishing and releasing make the slot's contents visible to the other
 * side.
 *
 * @param <T> the operation in a slot, such as {@code SendOperation}
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

    // Used by the producer only.
    private boolean claimed;
    private long seenReleased;

    /** Operations outside the slots in use, the most recently used last. */
    private Object[] spares = NONE;

    private int spareCount;

    /**
     * Creates the ring.
     *
     * @param capacity maximum number of outstanding operations, 1 to 2^20
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

    /** {@return the maximum number of outstanding operations} Any thread. */
    public int capacity() {
        return capacity;
    }

    /** {@return the number of operations published and not yet released, a snapshot} Any thread. */
    public int size() {
        long from = (long) RELEASED.getAcquire(this);
        return (int) ((long) PUBLISHED.getAcquire(this) - from);
    }

    /**
     * Producer: claims the next free slot. A second claim without {@link #publish} returns the same slot, so a producer
     * drops an invalid operation by not publishing it.
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

    /** Producer: publishes the claimed slot to the consumer. */
    public void publish() {
        claimed = false;
        PUBLISHED.setRelease(this, published + 1);
    }

    /** {@return the total number of operations published: lower sequence numbers may be read} */
    public long published() {
        return (long) PUBLISHED.getAcquire(this);
    }

    /** {@return the total number of operations released: the sequence number of the oldest operation in the queue} */
    public long released() {
        return (long) RELEASED.getAcquire(this);
    }

    /** {@return the operation with this sequence number} Consumer; it must be published and not released. */
    public T at(long sequence) {
        return slot(sequence);
    }

    /** Consumer: releases the slot of the oldest operation to the producer; {@code sequence} must be the oldest. */
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
