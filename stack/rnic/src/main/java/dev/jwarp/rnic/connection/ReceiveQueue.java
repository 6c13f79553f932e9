package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.ReceiveOperation;
import dev.jwarp.rdmap.ReceiveSource;
import dev.jwarp.rdmap.ScatterList;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The receive queue of one queue pair. What is posted stands in arrays as numbers; only the one receive that the stream takes is
 * an operation. A context may have very many queue pairs with receives that wait for long: the arrays are as long as receives
 * were ever outstanding at a time.
 *
 * <p>Threads: {@link #begin}, {@link #add} and {@link #publish} under the queue pair's lock; what a {@link ReceiveSource} has, and
 * {@link #oldest}, by the stream's owner, or where there is no stream under the lock.
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

    private final int capacity;
    private final int elements;

    /** The one that is taken. */
    private final ReceiveOperation operation;

    /** Longer ones come in its place, before what stands in them is published. */
    private volatile Slots slots;

    /** Elements of the receive begun last. */
    private int added;

    private long published;
    private long taken;
    private long released;

    /** What is posted: of a slot an id, and its elements side by side, behind which null stands where it has fewer than it may. */
    private static final class Slots {
        final int mask;
        final long[] ids;
        final @Nullable TaggedBuffer[] buffers;
        final long[] positions;
        final int[] lengths;

        /** @param size a power of two */
        Slots(int size, int elements) {
            mask = size - 1;
            ids = new long[size];
            buffers = new TaggedBuffer[size * elements];
            positions = new long[size * elements];
            lengths = new int[size * elements];
        }
    }

    /**
     * Creates the queue.
     *
     * @param capacity how many receives may be outstanding, 1 to 2^20
     * @param elements of a receive at most
     */
    ReceiveQueue(int capacity, int elements) {
        if (capacity < 1 || capacity > 1 << 20) {
            throw new IllegalArgumentException("a work queue holds 1 to 1048576 operations, not " + capacity);
        }
        this.capacity = capacity;
        this.elements = Math.max(1, elements);
        operation = new ReceiveOperation(elements);
        slots = new Slots(Math.min(FIRST_SLOTS, size(capacity)), this.elements);
    }

    private static int size(int count) {
        return Integer.highestOneBit(Math.max(1, count * 2 - 1));
    }

    /** {@return a snapshot of how many receives are posted and not complete} Any thread. */
    int outstanding() {
        long from = (long) RELEASED.getAcquire(this);
        return (int) ((long) PUBLISHED.getAcquire(this) - from);
    }

    // ---- who posts

    /** Begins a receive; one that is not published is begun anew by the next. Answers false if the queue is full. */
    boolean begin(long id) {
        long free = (long) RELEASED.getAcquire(this);
        if (published - free >= capacity) {
            return false;
        }
        Slots now = slots;
        if (published - free > now.mask) {
            now = longer(now, free);
        }
        int slot = (int) published & now.mask;
        now.ids[slot] = id;
        added = 0;
        return true;
    }

    private Slots longer(Slots old, long free) {
        Slots made = new Slots(2 * old.ids.length, elements);
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

    /** Adds memory, checked, to the receive begun last; as many times as it may have elements at most. */
    void add(TaggedBuffer buffer, long position, int length) {
        Slots now = slots;
        int at = ((int) published & now.mask) * elements + added++;
        now.buffers[at] = buffer;
        now.positions[at] = position;
        now.lengths[at] = length;
    }

    /** The receive begun last is posted. */
    void publish() {
        if (added < elements) {
            Slots now = slots;
            now.buffers[((int) published & now.mask) * elements + added] = null;
        }
        PUBLISHED.setRelease(this, published + 1);
    }

    // ---- who takes

    @Override
    public @Nullable ReceiveOperation take() {
        if (taken >= (long) PUBLISHED.getAcquire(this)) {
            return null;
        }
        if (taken != released) {
            throw new IllegalStateException("a stream takes one receive at a time");
        }
        Slots now = slots;
        int slot = (int) taken & now.mask;
        ReceiveOperation filled = operation;
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
            now.buffers[at] = null; // a region that is closed is not held by a queue
        }
        taken++;
        return filled;
    }

    @Override
    public void release(ReceiveOperation done) {
        RELEASED.setRelease(this, released + 1);
    }

    /** {@return the oldest receive, where there is no stream: perhaps one that a stream has taken; null if there is none} */
    @Nullable
    ReceiveOperation oldest() {
        return taken > released ? operation : take();
    }

    @Override
    public boolean shared() {
        return false;
    }
}
