package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.stream.StreamSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/** Writes the bytes of a stream into a {@link ByteBuf}. Not thread-safe. */
final class ByteBufSink implements StreamSink {
    private final WrappedMemory received = new WrappedMemory();
    private ByteBuf into = Unpooled.EMPTY_BUFFER;

    /** {@return this; what comes goes behind what is there already} */
    ByteBufSink to(ByteBuf buffer) {
        into = buffer;
        return this;
    }

    @Override
    public void take(ByteBuffer memory, int from, int length) {
        received.of(memory)
                .getBytes(from, into, into.writerIndex(), length); // setBytes of an adaptive one makes a ByteBuffer
        into.writerIndex(into.writerIndex() + length);
    }
}
