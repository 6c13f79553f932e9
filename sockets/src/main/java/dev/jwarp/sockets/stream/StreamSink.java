package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Takes bytes of a stream out of the memory that they came to. */
@FunctionalInterface
public interface StreamSink {
    /**
     * Takes the next bytes.
     *
     * @param memory where they are; its position and limit mean nothing, and stay as they are
     * @param from the index of the first
     * @param length how many; all of them are taken
     */
    void take(ByteBuffer memory, int from, int length);
}
