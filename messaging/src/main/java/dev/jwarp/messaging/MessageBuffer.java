package dev.jwarp.messaging;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory of a {@link BufferPool}. Its owner is the program, until a call takes it over or {@link #close}
 * gives it back; then the program must not use its {@link #data} any more.
 *
 * <p>Threads: one at a time.
 */
public final class MessageBuffer implements AutoCloseable {
    /** Longest buffer in bytes. */
    static final int MOST = 1 << 30;

    private final BufferPool pool;
    private final MemoryRegion region;
    private final ByteBuffer data;
    private volatile boolean taken;
    private @Nullable Throwable taker;

    MessageBuffer(BufferPool pool, MemoryRegion region) {
        this.pool = pool;
        this.region = region;
        data = region.buffer().duplicate();
    }

    void take(int length, @Nullable Throwable by) {
        data.clear().limit(length);
        taker = by;
        taken = true;
    }

    String taker() {
        StackTraceElement[] trace = taker == null ? new StackTraceElement[0] : taker.getStackTrace();
        for (StackTraceElement each : trace) {
            if (!each.getClassName().startsWith(BufferPool.class.getPackageName() + ".")) {
                return each + ".";
            }
        }
        return "an unknown place.";
    }

    /**
     * {@return the bytes of the buffer} Always the same big-endian object; its position and limit are the program's,
     * and calls that send the buffer send the bytes between them.
     *
     * @throws RdmaException WRONG_STATE if the buffer was given back
     */
    public ByteBuffer data() {
        if (!taken) {
            throw new RdmaException(RdmaErrorCode.WRONG_STATE, "This buffer was given back to its pool: allocate one.");
        }
        return data;
    }

    /** {@return the pool} */
    BufferPool pool() {
        return pool;
    }

    /** {@return the size of the memory in bytes, at least the length that was asked for} */
    public int capacity() {
        return (int) region.length();
    }

    MemoryRegion region() {
        return region;
    }

    long address() {
        return region.address() + data.position();
    }

    int length() {
        return data.remaining();
    }

    /**
     * {@return a region of its own for the bytes between position and limit, for one message} Its STag is fresh, and ends
     * when the region is closed: the buffer is handed out again only after that.
     */
    MemoryRegion expose(AccessFlag... access) {
        return region.protectionDomain().register(data, access);
    }

    /** Gives the memory back to the pool. Further calls have no effect. */
    @Override
    public void close() {
        if (taken) {
            taken = false;
            pool.free(this);
        }
    }

    /** Frees the memory. The caller holds no lock, because that waits for threads of the context. */
    void forget() {
        try {
            region.close();
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.WRONG_STATE) {
                throw e;
            } // a thread of the context does not wait for placements: into a free buffer there are none
        }
    }
}
