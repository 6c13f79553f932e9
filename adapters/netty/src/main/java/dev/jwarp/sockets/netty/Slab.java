package dev.jwarp.sockets.netty;

import java.nio.ByteBuffer;

/** Memory of a {@link JwarpByteBufAllocator}, for one buffer at a time. Any thread. */
final class Slab {
    private final ByteBuffer memory;

    /** Set by the allocator, which has discarded this slab. */
    private volatile boolean gone;

    Slab(int length) {
        memory = ByteBuffer.allocateDirect(length);
    }

    /** {@return a view of the memory, with its own position and limit} */
    ByteBuffer memory() {
        return memory.duplicate();
    }

    int length() {
        return memory.capacity();
    }

    void drop() {
        gone = true;
    }

    boolean gone() {
        return gone;
    }
}
