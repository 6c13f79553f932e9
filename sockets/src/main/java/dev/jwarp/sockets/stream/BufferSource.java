package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Takes the bytes of a stream out of a buffer, whose position moves by them. */
public final class BufferSource implements StreamSource {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private ByteBuffer from = NOTHING;

    /** Has none yet. */
    public BufferSource() {}

    /**
     * {@return this; its bytes go from now on}
     *
     * @param data from position to limit
     */
    public BufferSource of(ByteBuffer data) {
        from = data;
        return this;
    }

    /** No buffer is kept. */
    public void ofNothing() {
        from = NOTHING;
    }

    @Override
    public void give(ByteBuffer memory, int at, int length) {
        memory.put(at, from, from.position(), length);
        from.position(from.position() + length);
    }
}
