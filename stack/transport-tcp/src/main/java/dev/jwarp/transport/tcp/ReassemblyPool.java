package dev.jwarp.transport.tcp;

import dev.jwarp.mpa.BufferPool;
import dev.jwarp.mpa.Fpdu;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The buffers of one owner's connections for FPDUs that have come in part: a few sizes, reused, and a limit for all
 * together, so that peers who announce much and send little cannot take the memory of the process.
 */
final class ReassemblyPool implements BufferPool {
    private static final int SMALLEST = 2 << 10;

    /** Free buffers kept of each size, octets. */
    private static final int KEPT = 1 << 20;

    private final long limit;
    private final IntFunction<ByteBuffer> allocator;
    private final List<ArrayDeque<ByteBuffer>> free = new ArrayList<>();
    private long lent;

    /** Creates an empty pool that lends up to {@code limit} octets. */
    ReassemblyPool(long limit) {
        this(limit, ByteBuffer::allocateDirect);
    }

    /** A pool whose memory comes from {@code allocator}. */
    ReassemblyPool(long limit, IntFunction<ByteBuffer> allocator) {
        this.limit = limit;
        this.allocator = allocator;
        for (int size = SMALLEST; size < Fpdu.MAX_LENGTH_WITH_MARKERS; size *= 2) {
            free.add(new ArrayDeque<>());
        }
        free.add(new ArrayDeque<>());
    }

    /** All memory of the pool is lent, or the process has no more. */
    static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException(long limit) {
            super("more than " + limit + " octets of FPDUs that have come in part: raise "
                    + TcpSetting.REASSEMBLY.key());
        }

        ExhaustedException(OutOfMemoryError cause) {
            super(
                    "no direct memory is left for FPDUs that have come in part: raise -XX:MaxDirectMemorySize, or lower "
                            + TcpSetting.REASSEMBLY.key(),
                    cause);
        }
    }

    @Override
    public ByteBuffer acquire(int capacity) {
        int index = indexOf(capacity);
        int size = sizeAt(index);
        if (lent + size > limit) {
            throw new ExhaustedException(limit);
        }
        ByteBuffer buffer = free.get(index).pollLast();
        if (buffer == null) {
            buffer = allocate(size);
        }
        lent += size;
        return buffer;
    }

    /** Peers decide how much is needed: what is too much ends a connection, and must not reach who polls as an Error. */
    private ByteBuffer allocate(int size) {
        try {
            return allocator.apply(size);
        } catch (OutOfMemoryError e) {
            throw new ExhaustedException(e);
        }
    }

    @Override
    public void release(ByteBuffer buffer) {
        int size = buffer.capacity();
        lent -= size;
        ArrayDeque<ByteBuffer> sameSize = free.get(indexOf(size));
        if ((sameSize.size() + 1L) * size <= KEPT) {
            sameSize.addLast(buffer);
        }
    }

    /** {@return octets that connections hold now} */
    long lent() {
        return lent;
    }

    private int indexOf(int capacity) {
        int index = 0;
        while (sizeAt(index) < capacity) {
            index++;
        }
        return index;
    }

    /** Powers of two, but the largest is just what the largest FPDU needs. */
    private int sizeAt(int index) {
        return Math.min(SMALLEST << index, Fpdu.MAX_LENGTH_WITH_MARKERS);
    }
}
