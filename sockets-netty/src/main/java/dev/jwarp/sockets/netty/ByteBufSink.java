package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.stream.StreamSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Writes the bytes of a stream into a {@link ByteBuf}, from memory to memory: one whose allocator is adaptive, as Netty's is if nothing is said, makes an object when it is
 * asked for a {@link ByteBuffer}. Not thread-safe.
 */
final class ByteBufSink implements StreamSink {
    /** A stream receives into two places in turn. */
    private final ByteBuffer[] memories = {ByteBuffer.allocate(0), ByteBuffer.allocate(0)};

    private final ByteBuf[] wrapped = {Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER};
    private int last;
    private ByteBuf into = Unpooled.EMPTY_BUFFER;

    /** {@return this; what comes goes behind what is there already} */
    ByteBufSink to(ByteBuf buffer) {
        into = buffer;
        return this;
    }

    @Override
    public void take(ByteBuffer memory, int from, int length) {
        wrapped(memory)
                .getBytes(from, into, into.writerIndex(), length); // setBytes of an adaptive one makes a ByteBuffer
        into.writerIndex(into.writerIndex() + length);
    }

    @SuppressWarnings("ReferenceEquality") // what is in it means nothing
    private ByteBuf wrapped(ByteBuffer memory) {
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
