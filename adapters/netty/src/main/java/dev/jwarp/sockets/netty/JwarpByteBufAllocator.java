package dev.jwarp.sockets.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers that jwarp's channels send from where they are: each event loop registers their memory once. What {@link #SMALLEST} bytes or more, and no more than
 * {@link #LARGEST}, are asked for is such memory, in powers of two, and comes again; everything else is Netty's pooled memory, and copied when it is sent.
 *
 * <pre>{@code
 * bootstrap.option(ChannelOption.ALLOCATOR, JwarpByteBufAllocator.DEFAULT);
 * }</pre>
 *
 * <p>A buffer that is asked for as a small one and grows is copied, so ask for what will be written. Slices, duplicates, read-only views and parts of composite buffers are
 * sent from where they are as well, those of {@link #SMALLEST} bytes or more. One that was written is released when it is sent, and its promise is done then: until then its bytes must stay as they are, as with every channel.
 *
 * <p>Threads: any. One serves all event loops.
 */
public final class JwarpByteBufAllocator extends AbstractByteBufAllocator {
    /** Bytes of the smallest buffer that is sent from where it is; fewer are copied faster. */
    public static final int SMALLEST = 1 << 14;

    /** Bytes of the largest. */
    public static final int LARGEST = 1 << 22;

    /** Bytes of an allocator whose size the program does not say. */
    private static final long MOST = 1 << 26;

    /** One for all, with 64 MiB of memory. */
    public static final JwarpByteBufAllocator DEFAULT = new JwarpByteBufAllocator(MOST);

    private static final ByteBufAllocator OTHERS = PooledByteBufAllocator.DEFAULT;

    private final long mostBytes;

    /** Slabs that are not in use, the last one that was first; by the logarithm of their length. Guarded by this. */
    private final Deque<Slab>[] idle;

    /** Of all slabs. Guarded by this. */
    private long bytes;

    /**
     * With memory of its own.
     *
     * @param mostBytes how much of it there may be, in use and not; beyond it Netty's is used
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

    /** {@return where slabs are that have as many bytes, or are the next longer ones} */
    private static int kind(int length) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(length - 1);
    }

    /** {@return bytes of memory that are kept to be sent from, in use and not} */
    public synchronized long usedMemory() {
        return bytes;
    }

    /** {@return how many of them are in no use} */
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

    /** {@return a slab; null: there is no memory left for one} */
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
