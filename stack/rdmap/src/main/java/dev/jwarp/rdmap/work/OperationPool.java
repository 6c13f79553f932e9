package dev.jwarp.rdmap.work;

import dev.jwarp.rdmap.datagram.DatagramOperation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A bounded work queue of preallocated operations that may complete in any order, so that a slow peer does not hold the
 * slots of the others. A producer claims a free operation, fills and publishes it. The consumer takes operations in the
 * order they were published, and releases each when it is complete. Nothing is allocated after construction.
 *
 * <p>Threads: {@link #claim} and {@link #publish} by one thread at a time (several producers share a lock); {@link
 * #take} and {@link #release} by the owner of the endpoint. Publishing and releasing make the operation's contents
 * visible to the other side.
 *
 * @param <T> the operation: {@link DatagramOperation} or {@link dev.jwarp.rdmap.work.ReceiveOperation}
 */
public final class OperationPool<T> {
    private static final VarHandle PUBLISHED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PUBLISHED = lookup.findVarHandle(OperationPool.class, "published", long.class);
            RELEASED = lookup.findVarHandle(OperationPool.class, "released", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;
    private final int mask;
    private final Object[] posted;
    private final Object[] free;

    // The producer writes published, the consumer the other two.
    private long published;
    private long taken;
    private long released;

    /**
     * Creates the queue and all its operations.
     *
     * @param capacity maximum number of outstanding operations, 1 to 2^20
     * @param factory makes one operation
     */
    public OperationPool(int capacity, Supplier<? extends T> factory) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw new IllegalArgumentException("a work queue holds 1 to 1048576 operations, not " + capacity);
        }
        this.capacity = capacity;
        int size = Integer.highestOneBit(Math.max(1, capacity * 2 - 1));
        mask = size - 1;
        posted = new Object[size];
        free = new Object[size];
        for (int i = 0; i < capacity; i++) {
            free[i] = factory.get();
        }
        released = capacity;
    }

    /** {@return the number of operations published and not yet released, a snapshot} Any thread. */
    public int size() {
        long freed = (long) RELEASED.getAcquire(this);
        return (int) ((long) PUBLISHED.getAcquire(this) + capacity - freed);
    }

    /**
     * Producer: claims a free operation. A second claim without {@link #publish} returns the same operation, so a
     * producer drops an invalid operation by not publishing it.
     *
     * @return the operation to fill, or null if all are outstanding
     */
    @SuppressWarnings("unchecked") // only the factory fills the slots
    public @Nullable T claim() {
        return published == (long) RELEASED.getAcquire(this) ? null : (T) free[(int) published & mask];
    }

    /** Producer: publishes the claimed operation to the consumer. */
    public void publish() {
        posted[(int) published & mask] = free[(int) published & mask];
        PUBLISHED.setRelease(this, published + 1);
    }

    /** {@return the oldest operation published and not yet taken, or null if there is none} Consumer. */
    @SuppressWarnings("unchecked") // only the factory fills the slots
    public @Nullable T take() {
        return taken == (long) PUBLISHED.getAcquire(this) ? null : (T) posted[(int) taken++ & mask];
    }

    /** Consumer: releases a taken operation to the producer; in any order, each once. */
    public void release(T operation) {
        free[(int) released & mask] = operation;
        RELEASED.setRelease(this, released + 1);
    }
}
