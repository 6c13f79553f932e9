package dev.jwarp.mpa;

import java.nio.ByteBuffer;

/**
 * Lends the buffers in which a {@link FpduAssembler} keeps the beginning of an FPDU until its rest has come. A
 * connection that is between two FPDUs holds none.
 *
 * <p>Called by the thread that calls {@link FpduAssembler#receive}; a pool that serves several threads sees to its own
 * safety.
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
