package dev.jwarp.mpa;

import java.nio.ByteBuffer;

/**
 * Lends buffers to {@link FpduAssembler}s for incomplete FPDUs. A connection between two FPDUs holds none.
 *
 * <p>Called by the thread that calls {@link FpduAssembler#receive}; a pool that serves several threads must be
 * thread-safe itself.
 */
public interface BufferPool {
    /**
     * Lends a buffer.
     *
     * @param capacity octets needed, at most {@link Fpdu#MAX_LENGTH_WITH_MARKERS}
     * @return a writable big-endian buffer, direct or not, of at least this capacity, with its limit at its capacity
     */
    ByteBuffer acquire(int capacity);

    /** Takes back a buffer that {@link #acquire} lent; the limit is at its capacity again. */
    void release(ByteBuffer buffer);
}
