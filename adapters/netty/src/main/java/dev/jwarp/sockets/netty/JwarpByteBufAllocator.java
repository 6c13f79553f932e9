package dev.jwarp.sockets.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers that jwarp's channels send without a copy (zero copy): each event loop registers their memory once.
 * Buffers of {@link #SMALLEST} to {@link #LARGEST} bytes have such memory, in powers of two, which is reused. Other
 * buffers have Netty's pooled memory, and are copied when they are sent.
 *
 * <pre>{@code
 * bootstrap.option(ChannelOption.ALLOCATOR, JwarpByteBufAllocator.DEFAULT);
 * }</pre>
 *
 * <p>A buffer that is allocated small and grows is copied, so allocate the final size. Slices, duplicates, read-only
 * views and parts of composite buffers of {@link #SMALLEST} bytes or more are sent without a copy as well. A written
 * buffer is released when it is sent, and its promise completes then; as with every channel, its bytes must not change
 * before.
 *
 * <p>Threads: any. One allocator serves all event loops.
 */
public final class JwarpByteBufAllocator extends AbstractByteBufAllocator {
    /** The size of the smallest zero-copy buffer in bytes; smaller ones are faster to copy. */
    public static final int SMALLEST = 1 << 14;

    /** The size of the largest zero-copy buffer in bytes. */
    public static final int LARGEST = 1 << 22;

    /** The default size of an allocator in bytes. */
    private static final long MOST = 1 << 26;

    /** A shared allocator with 64 MiB of memory. */
    public static final JwarpByteBufAllocator DEFAULT = new JwarpByteBufAllocator(MOST);

    private static final ByteBufAllocator OTHERS = PooledByteBufAllocator.DEFAULT;

    private final long mostBytes;

    /** Unused slabs, last in, first out, by the logarithm of their length. Guarded by this. */
    private final Deque<Slab>[] idle;

    /** The bytes of all slabs. Guarded by this. */
    private long bytes;

    /**
     * Creates an allocator with memory of its own.
     *
     * @param mostBytes the most memory in bytes, used or not; beyond the limit Netty's memory is used
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of generic types
    public JwarpByteBufAllocator(long mostBytes) {
        super(true);
        if (mostBytes < 0) {
            throw new IllegalArgumentException("an allocator has 0 or more bytes of memory, not " + mostBytes);
        }
        this.mostBytes = mostBytes;
        idle = new Deque[kind(LARGEST) + 1];
        for (int i = 0; i < idle.length; i++) {
            idle[i] = new ArrayDeque<>();
        }
    }

    /** {@return the index of the slabs of that length, or of the next larger one} */
    private static int kind(int length) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
    }

    /** {@return the bytes of memory of all slabs, used or not} */
    public synchronized long usedMemory() {
        return bytes;
    }

    /** {@return the bytes of unused slabs} */
    synchronized long idleMemory() {
        long sum = 0;
        for (Deque<Slab> one : idle) {
            for (Slab slab : one) {
                sum += slab.length();
            }
        }
        return sum;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return OTHERS.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        Slab slab = initialCapacity < SMALLEST || initialCapacity > LARGEST ? null : take(kind(initialCapacity));
        return slab == null
                ? OTHERS.directBuffer(initialCapacity, maxCapacity)
                : toLeakAwareBuffer(new SlabByteBuf(this, slab, initialCapacity, maxCapacity));
    }

    /** {@return a slab; null if the limit of memory is reached} */
    private synchronized @Nullable Slab take(int kind) {
        Slab slab = idle[kind].pollFirst();
        if (slab != null) {
            return slab;
        }
        int length = 1 << kind;
        for (int other = idle.length - 1; other >= 0 && bytes + length > mostBytes; other--) {
            while (bytes + length > mostBytes && !idle[other].isEmpty()) {
                drop(idle[other].removeLast());
            }
        }
        if (bytes + length > mostBytes) {
            return null;
        }
        slab = new Slab(length);
        bytes += length;
        return slab;
    }

    private void drop(Slab slab) {
        bytes -= slab.length();
        slab.drop();
    }

    synchronized void giveBack(Slab slab) {
        idle[kind(slab.length())].addFirst(slab);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
