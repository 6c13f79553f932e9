package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.stream.StreamSink;
import dev.jwarp.sockets.stream.StreamSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * Copies bytes between a {@link ByteBuf} and the memory of a stream, in one direction. The memory is wrapped as a
 * ByteBuf, since a buffer of Netty's default allocator allocates an object for each {@link ByteBuffer}. Not
 * thread-safe.
 */
final class ByteBufCopy implements StreamSink, StreamSource {
    /** The memories of a stream, which receives into two in turn. */
    private final ByteBuffer[] memories = {ByteBuffer.allocate(0), ByteBuffer.allocate(0)};

    private final ByteBuf[] wrapped = {Unpooled.EMPTY_BUFFER, Unpooled.EMPTY_BUFFER};
    private int last;

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int next;

    /** {@return this; {@link #take} appends the bytes of the stream to the buffer} */
    ByteBufCopy to(ByteBuf into) {
        buffer = into;
        return this;
    }

    /**
     * {@return this; {@link #give} copies bytes of the buffer, from its reader index on} The buffer's indices do not
     * change.
     */
    ByteBufCopy of(ByteBuf from) {
        buffer = from;
        next = from.readerIndex();
        return this;
    }

    @Override
    public void take(ByteBuffer memory, int from, int length) {
        // setBytes of an adaptive buffer allocates a ByteBuffer
        wrapped(memory).getBytes(from, buffer, buffer.writerIndex(), length);
        buffer.writerIndex(buffer.writerIndex() + length);
    }

    @Override
    public void give(ByteBuffer memory, int at, int length) {
        buffer.getBytes(next, wrapped(memory), at, length);
        next += length;
    }

    @SuppressWarnings("ReferenceEquality") // compares identities, not contents
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
