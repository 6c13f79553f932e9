package dev.jwarp.sockets.netty;

import java.nio.ByteBuffer;

/** Memory of a {@link JwarpByteBufAllocator}, for one buffer at a time. Any thread. */
final class Slab {
    private final ByteBuffer memory;

    /** Of its allocator, which has no use of it any more. */
    private volatile boolean gone;

    Slab(int length) {
        memory = ByteBuffer.allocateDirect(length);
    }

    /** {@return all of it, with a position and a limit of the caller's} */
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
