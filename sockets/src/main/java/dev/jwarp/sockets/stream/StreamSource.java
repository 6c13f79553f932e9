package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Gives bytes of a program to the memory that a stream sends them from. */
@FunctionalInterface
public interface StreamSource {
    /**
     * Gives the next bytes.
     *
     * @param memory where they go; its position and limit mean nothing, and stay as they are
     * @param at the index of the first
     * @param length how many; there are as many
     */
    void give(ByteBuffer memory, int at, int length);
}
