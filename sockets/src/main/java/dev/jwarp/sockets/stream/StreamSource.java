package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/** Supplies bytes of a program for the send memory of a stream. */
@FunctionalInterface
public interface StreamSource {
    /**
     * Supplies the next bytes.
     *
     * @param memory destination; position and limit are ignored and must not change
     * @param at index of the first byte
     * @param length number of bytes, never more than there are
     */
    void give(ByteBuffer memory, int at, int length);
}
