package dev.jwarp.rdmap;

import dev.jwarp.ddp.UntaggedBuffer;
import java.nio.ByteBuffer;

/** A buffer of the stream for a message that consists of an RDMAP header only. */
class HeaderBuffer implements UntaggedBuffer {
    /** The bytes, big-endian, from index 0. */
    final ByteBuffer octets;

    HeaderBuffer(int capacity) {
        octets = ByteBuffer.allocate(capacity);
    }

    @Override
    public int capacity() {
        return octets.capacity();
    }

    @Override
    public void place(int messageOffset, ByteBuffer source, int from, int length) {
        octets.put(messageOffset, source, from, length);
    }
}
