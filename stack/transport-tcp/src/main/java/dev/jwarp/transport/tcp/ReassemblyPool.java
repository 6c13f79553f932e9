package dev.jwarp.transport.tcp;

import dev.jwarp.base.Share;
import dev.jwarp.base.ShareHolder;
import dev.jwarp.base.Shares;
import dev.jwarp.mpa.BufferPool;
import dev.jwarp.mpa.Fpdu;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of one owner's connections for half received FPDUs: a few sizes, reused, and shared fairly, so that peers
 * that announce much and send little cannot exhaust the memory of the process or of other connections.
 */
final class ReassemblyPool {
    /** Guaranteed memory of each connection. */
    static final int SMALLEST = 2 << 10;

    /** Maximum octets of free buffers of each size. */
    private static final int KEPT = 1 << 20;

    private final Shares shares;
    private final IntFunction<ByteBuffer> allocator;
    private final List<ArrayDeque<ByteBuffer>> free = new ArrayList<>();

    /** Creates an empty pool limited by {@code shares}, in octets. */
    ReassemblyPool(Shares shares) {
        this(shares, ByteBuffer::allocateDirect);
    }

    /** Creates a pool with memory from {@code allocator}. */
    ReassemblyPool(Shares shares, IntFunction<ByteBuffer> allocator) {
        this.shares = shares;
        this.allocator = allocator;
        for (int size = SMALLEST; size < Fpdu.MAX_LENGTH_WITH_MARKERS; size *= 2) {
            free.add(new ArrayDeque<>());
        }
        free.add(new ArrayDeque<>());
    }

    /** All memory of the pool is lent to others, or the process has no more. */
    static final class ExhaustedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ExhaustedException(long limit) {
            super("more than " + limit + " bytes of FPDUs that have come in part: raise " + TcpSetting.MEMORY.key());
        }

        ExhaustedException(OutOfMemoryError cause) {
            super(
                    "no direct memory is left for FPDUs that have come in part: raise -XX:MaxDirectMemorySize, or lower "
                            + TcpSetting.MEMORY.key(),
                    cause);
        }
    }

    /** The pool as one connection sees it. */
    final class Loan implements BufferPool {
        private final long source;
        private final ShareHolder holder;

        /** Null until the first half received FPDU, because most connections have none. */
        private @Nullable Share share;

        private long now;

        private Loan(long source, ShareHolder holder) {
            this.source = source;
            this.holder = holder;
        }

        private Share share() {
            Share joined = share;
            if (joined == null) {
                joined = shares.join(source, holder, now);
                share = joined;
            }
            return joined;
        }

        /** The time of the current input. */
        void at(long nowNanos) {
            now = nowNanos;
        }

        /** Octets of a half received FPDU have arrived. */
        void moved(long nowNanos) {
            if (share != null) {
                share.moved(nowNanos);
            }
        }

        @Override
        public ByteBuffer acquire(int capacity) {
            int index = indexOf(capacity);
            int size = sizeAt(index);
            if (!share().take(size, now)) {
                throw new ExhaustedException(shares.limits().capacity());
            }
            ByteBuffer buffer = free.get(index).pollLast();
            return buffer != null ? buffer : allocate(size);
        }

        /**
         * Peers determine the need for memory: too much ends a connection, but must not reach the polling thread as an
         * Error.
         */
        private ByteBuffer allocate(int size) {
            try {
                return allocator.apply(size);
            } catch (Throwable e) {
                share().give(size);
                if (e instanceof OutOfMemoryError exhausted) {
                    throw new ExhaustedException(exhausted);
                }
                throw e;
            }
        }

        @Override
        public void release(ByteBuffer buffer) {
            int size = buffer.capacity();
            share().give(size);
            ArrayDeque<ByteBuffer> sameSize = free.get(indexOf(size));
            if ((sameSize.size() + 1L) * size <= KEPT) {
                sameSize.addLast(buffer);
            }
        }

        /** The connection has ended and returned all buffers. */
        void leave() {
            if (share != null) {
                share.leave();
            }
        }
    }

    /** {@return the pool for a connection from that source; {@code holder} returns all buffers on request} */
    Loan join(long source, ShareHolder holder) {
        return new Loan(source, holder);
    }

    /** {@return octets that connections hold now} */
    long lent() {
        return shares.used();
    }

    private static int indexOf(int capacity) {
        int index = 0;
        while (sizeAt(index) < capacity) {
            index++;
        }
        return index;
    }

    /** Powers of two; the largest size is that of the largest FPDU. */
    private static int sizeAt(int index) {
        return Math.min(SMALLEST << index, Fpdu.MAX_LENGTH_WITH_MARKERS);
    }
}
