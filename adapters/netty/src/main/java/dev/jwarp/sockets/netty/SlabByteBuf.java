package dev.jwarp.sockets.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import org.jspecify.annotations.Nullable;

/** A buffer with the memory of a {@link Slab}, until a change of capacity: then it has other memory. */
final class SlabByteBuf extends UnpooledDirectByteBuf {
    private final JwarpByteBufAllocator allocator;
    private final Slab slab;
    private boolean moved;

    SlabByteBuf(JwarpByteBufAllocator allocator, Slab slab, int capacity, int maxCapacity) {
        super(allocator, slab.memory().limit(capacity), maxCapacity);
        this.allocator = allocator;
        this.slab = slab;
        setIndex(0, 0); // a wrapped buffer is full initially
    }

    /** {@return the slab's buffer behind a view; null if there is none} */
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

    /** {@return the offset in the slab of the readable bytes of a view of this buffer; -1 if Netty does not know it} */
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
