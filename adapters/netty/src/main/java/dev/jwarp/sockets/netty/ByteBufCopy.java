package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.stream.StreamSink;
import dev.jwarp.sockets.stream.StreamSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Copies bytes between a {@link ByteBuf} and the memory of a stream, in one direction. The memory is wrapped, so bytes go from memory to memory: a ByteBuf whose allocator is adaptive, as Netty's is if nothing
 * is said, makes an object when it is asked for a {@link ByteBuffer}. Not thread-safe.
 */
final class ByteBufCopy implements StreamSink, StreamSource {
    /** A stream receives into two places in turn. */
    private final ByteBuffer[] memories = {ByteBuffer.allocate(0), ByteBuffer.allocate(0)};

    private final ByteBuf[] wrapped = {Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER};
    private int last;

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int next;

    /** {@return this; what comes goes behind what is in that buffer} */
    ByteBufCopy to(ByteBuf into) {
        buffer = into;
        return this;
    }

    /** {@return this; the bytes of that buffer go, from its reader index on, and its indices stay as they are} The buffer is kept, and not used, until the next. */
    ByteBufCopy of(ByteBuf from) {
        buffer = from;
        next = from.readerIndex();
        return this;
    }

    @Override
    public void take(ByteBuffer memory, int from, int length) {
        // setBytes of an adaptive buffer makes a ByteBuffer
        wrapped(memory).getBytes(from, buffer, buffer.writerIndex(), length);
        buffer.writerIndex(buffer.writerIndex() + length);
    }

    @Override
    public void give(ByteBuffer memory, int at, int length) {
        buffer.getBytes(next, wrapped(memory), at, length);
        next += length;
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
