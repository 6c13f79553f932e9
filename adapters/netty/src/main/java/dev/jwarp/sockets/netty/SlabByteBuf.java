package dev.jwarp.sockets.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import org.jspecify.annotations.Nullable;

/** A buffer whose memory is a {@link Slab}, until it becomes longer or shorter: then it is any memory. */
final class SlabByteBuf extends UnpooledDirectByteBuf {
    private final JwarpByteBufAllocator allocator;
    private final Slab slab;
    private boolean moved;

    SlabByteBuf(JwarpByteBufAllocator allocator, Slab slab, int capacity, int maxCapacity) {
        super(allocator, slab.memory().limit(capacity), maxCapacity);
        this.allocator = allocator;
        this.slab = slab;
        setIndex(0, 0); // what is wrapped is full else
    }

    /** {@return what a buffer is a view of; null if that has no slab} */
    static @Nullable SlabByteBuf behind(ByteBuf buffer) {
        ByteBuf root = buffer;
        for (ByteBuf next = root.unwrap(); next != null; next = root.unwrap()) {
            root = next;
        }
        return root instanceof SlabByteBuf own && !own.moved ? own : null;
    }

    Slab slab() {
        return slab;
    }

    /** {@return where in the slab the readable bytes of a view of this begin; -1: Netty does not know} */
    int offset(ByteBuf view) {
        return view.hasMemoryAddress() && hasMemoryAddress()
                ? Math.toIntExact(view.memoryAddress() - memoryAddress()) + view.readerIndex()
                : -1;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        moved |= newCapacity != capacity();
        return super.capacity(newCapacity);
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        allocator.giveBack(slab);
    }
}
