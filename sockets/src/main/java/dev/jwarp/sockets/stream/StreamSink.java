package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Consumes received bytes of a stream. */
@FunctionalInterface
public interface StreamSink {
    /**
     * Consumes the next bytes.
     *
     * @param memory that has the bytes; position and limit are ignored and must not change
     * @param from index of the first byte
     * @param length number of bytes; all of them must be consumed
     */
    void take(ByteBuffer memory, int from, int length);
}
