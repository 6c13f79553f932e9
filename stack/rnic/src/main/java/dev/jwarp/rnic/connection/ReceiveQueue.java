package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import dev.jwarp.rdmap.work.ScatterList;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The receive queue of one queue pair. Posted receives are stored as numbers in arrays; only the receive that the
 * stream takes is an operation. A context may have very many queue pairs with waiting receives, so the arrays grow only
 * to the largest number of outstanding receives so far.
 *
 * <p>Threads: {@link #begin}, {@link #add} and {@link #publish} under the queue pair's lock; the methods of {@link
 * ReceiveSource} by the stream's owner, or without a stream under that lock.
 */
final class ReceiveQueue implements ReceiveSource {
    private static final VarHandle PUBLISHED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PUBLISHED = lookup.findVarHandle(ReceiveQueue.class, "published", long.class);
            RELEASED = lookup.findVarHandle(ReceiveQueue.class, "released", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int FIRST_SLOTS = 4;

    /** Slots before the first post, so that a queue pair with a shared receive queue needs little memory. */
    private static final Slots NONE = new Slots(0, 0);

    private final int capacity;
    private final int elements;

    /** The receive that is taken. Created with the first slots. */
    private @Nullable ReceiveOperation operation;

    /** Replaced by longer slots before their new content is published. */
    private volatile Slots slots = NONE;

    /** Number of elements of the receive that is begun and not published. */
    private int added;

    /**
     * Range of the receives last copied into longer slots. Some may have been taken since; they are cleared when they
     * are complete.
     */
    private long copied;

    private long copiedEnd;

    private long published;
    private long taken;
    private long released;

    /**
     * Posted receives: for each slot an id and its elements side by side. A null buffer ends a shorter list of
     * elements.
     */
    private static final class Slots {
        final int mask;
        final long[] ids;
        final @Nullable TaggedBuffer[] buffers;
        final long[] positions;
        final int[] lengths;

        /** @param size a power of two, or 0 */
        Slots(int size, int elements) {
            mask = size - 1;
            ids = new long[size];
            buffers = new TaggedBuffer[size * elements];
            positions = new long[size * elements];
            lengths = new int[size * elements];
        }

        void forget(long sequence, int elements) {
            int at = ((int) sequence & mask) * elements;
            Arrays.fill(buffers, at, at + elements, null);
        }
    }

    /**
     * Creates the queue.
     *
     * @param capacity largest number of outstanding receives, 1 to 2^20
     * @param elements largest number of elements of a receive
     */
    ReceiveQueue(int capacity, int elements) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw new IllegalArgumentException("a work queue holds 1 to 1048576 operations, not " + capacity);
        }
        this.capacity = capacity;
        this.elements = Math.max(1, elements);
    }

    private static int size(int count) {
        return Integer.highestOneBit(Math.max(1, count * 2 - 1));
    }

    /** {@return the number of receives that are posted and not complete, as a snapshot} Any thread. */
    int outstanding() {
        long from = (long) RELEASED.getAcquire(this);
        return (int) ((long) PUBLISHED.getAcquire(this) - from);
    }

    // ---- poster

    /**
     * Begins a receive, and discards a receive that was begun and not published. Returns false if the queue is full.
     */
    boolean begin(long id) {
        long free = (long) RELEASED.getAcquire(this);
        if (published - free >= capacity) {
            return false;
        }
        Slots now = slots;
        if (added > 0) { // the previous receive was rejected
            now.forget(published, elements);
            added = 0;
        }
        for (; copied < copiedEnd && copied < free; copied++) {
            now.forget(copied, elements);
        }
        if (published - free > now.mask) {
            now = longer(now, free);
        }
        now.ids[(int) published & now.mask] = id;
        return true;
    }

    private Slots longer(Slots old, long free) {
        if (operation == null) {
            operation = new ReceiveOperation(elements);
        }
        Slots made = new Slots(Math.max(Math.min(FIRST_SLOTS, size(capacity)), 2 * old.ids.length), elements);
        copied = free;
        copiedEnd = published;
        for (long each = free; each < published; each++) {
            int from = (int) each & old.mask;
            int to = (int) each & made.mask;
            made.ids[to] = old.ids[from];
            System.arraycopy(old.buffers, from * elements, made.buffers, to * elements, elements);
            System.arraycopy(old.positions, from * elements, made.positions, to * elements, elements);
            System.arraycopy(old.lengths, from * elements, made.lengths, to * elements, elements);
        }
        slots = made;
        return made;
    }

    /** Adds checked memory to the receive begun last. May be called once for each permitted element. */
    void add(TaggedBuffer buffer, long position, int length) {
        Slots now = slots;
        int at = ((int) published & now.mask) * elements + added++;
        now.buffers[at] = buffer;
        now.positions[at] = position;
        now.lengths[at] = length;
    }

    /** Posts the receive begun last. */
    void publish() {
        if (added < elements) {
            Slots now = slots;
            now.buffers[((int) published & now.mask) * elements + added] = null;
        }
        added = 0;
        PUBLISHED.setRelease(this, published + 1);
    }

    // ---- consumer

    /**
     * {@return the oldest receive; null if there is none} Returns the same receive until it is released, because its
     * completion may have thrown.
     */
    @Override
    public @Nullable ReceiveOperation take() {
        if (taken > released) {
            return operation;
        }
        if (taken >= (long) PUBLISHED.getAcquire(this)) {
            return null;
        }
        Slots now = slots;
        int slot = (int) taken & now.mask;
        ReceiveOperation filled = Objects.requireNonNull(operation);
        ScatterList memory = filled.memory();
        filled.workRequestId(now.ids[slot]);
        memory.clear();
        int at = slot * elements;
        for (int end = at + elements; at < end; at++) {
            TaggedBuffer buffer = now.buffers[at];
            if (buffer == null) {
                break;
            }
            memory.add(buffer, now.positions[at], now.lengths[at]);
            now.buffers[at] = null; // so that the queue does not keep closed regions alive
        }
        taken++;
        return filled;
    }

    @Override
    public void release(ReceiveOperation done) {
        RELEASED.setRelease(this, released + 1);
    }

    /** {@return the number of memory references in the queue; for tests} Only while no other thread uses the queue. */
    int held() {
        int held = 0;
        for (TaggedBuffer buffer : slots.buffers) {
            held += buffer == null ? 0 : 1;
        }
        return held;
    }

    @Override
    public boolean shared() {
        return false;
    }
}
