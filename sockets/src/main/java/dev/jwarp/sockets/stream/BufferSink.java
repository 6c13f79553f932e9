package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Puts the bytes of a stream into a buffer, whose position moves by them. */
public final class BufferSink implements StreamSink {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer into = NOTHING;

    /** Puts them nowhere yet. */
    public BufferSink() {}

    /**
     * {@return this; what comes goes there from now on}
     *
     * @param data from position to limit
     */
    public BufferSink to(ByteBuffer data) {
        into = data;
        return this;
    }

    /** No buffer is kept. */
    public void toNothing() {
        into = NOTHING;
    }

    @Override
    public void take(ByteBuffer memory, int from, int length) {
        into.put(into.position(), memory, from, length);
        into.position(into.position() + length);
    }
}
