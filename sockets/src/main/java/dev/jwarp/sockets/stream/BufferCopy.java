package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Copies bytes between a buffer and the memory of a stream, and moves the position of the buffer. Not thread-safe. */
public final class BufferCopy implements StreamSink, StreamSource {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer buffer = NOTHING;

    /** Made without a buffer. */
    public BufferCopy() {}

    /**
     * {@return this object, which copies to or from the buffer from now on}
     *
     * @param data from position to limit
     */
    public BufferCopy of(ByteBuffer data) {
        buffer = data;
        return this;
    }

    /** Drops the reference to the buffer. */
    public void forget() {
        buffer = NOTHING;
    }

    @Override
    public void take(ByteBuffer memory, int from, int length) {
        buffer.put(buffer.position(), memory, from, length);
        buffer.position(buffer.position() + length);
    }

    @Override
    public void give(ByteBuffer memory, int at, int length) {
        memory.put(at, buffer, buffer.position(), length);
        buffer.position(buffer.position() + length);
    }
}
