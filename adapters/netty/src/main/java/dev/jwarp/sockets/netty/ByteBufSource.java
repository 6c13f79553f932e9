package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.stream.StreamSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/** Reads the bytes of a stream from a {@link ByteBuf}, whose indices stay as they are. Not thread-safe. */
final class ByteBufSource implements StreamSource {
    private final WrappedMemory sent = new WrappedMemory();
    private ByteBuf from = Unpooled.EMPTY_BUFFER;
    private int next;

    /** {@return this; the bytes of that go, from its reader index on. It is known, though no bytes of it are used, until the next} */
    ByteBufSource of(ByteBuf buffer) {
        from = buffer;
        next = buffer.readerIndex();
        return this;
    }

    @Override
    public void give(ByteBuffer memory, int at, int length) {
        from.getBytes(next, sent.of(memory), at, length);
        next += length;
    }
}
