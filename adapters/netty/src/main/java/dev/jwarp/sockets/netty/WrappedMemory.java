package dev.jwarp.sockets.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Memory of a stream as {@link ByteBuf}s, so that bytes are copied from memory to memory: one whose allocator is adaptive, as Netty's is if nothing is said, makes an object
 * when it is asked for a {@link ByteBuffer}. Not thread-safe.
 */
final class WrappedMemory {
    /** A stream receives into two places in turn. */
    private final ByteBuffer[] memories = {ByteBuffer.allocate(0), ByteBuffer.allocate(0)};

    private final ByteBuf[] wrapped = {Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER};
    private int last;

    /** {@return all of a memory} */
    @SuppressWarnings("ReferenceEquality") // what is in it means nothing
    ByteBuf of(ByteBuffer memory) {
        if (memories[last] != memory) {
            last ^= 1;
            if (memories[last] != memory) {
                memories[last] = memory;
                wrapped[last] = Unpooled.wrappedBuffer(memory.duplicate().clear());
            }
        }
        return wrapped[last];
    }
}
