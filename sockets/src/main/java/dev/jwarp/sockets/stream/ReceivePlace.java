package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Memory here that the peer writes data to, once it is told where; it fills it from the first byte to the last.
 *
 * @param memory all of it, from 0 to its capacity
 * @param address of its first byte, for the peer
 * @param key its STag
 */
public record ReceivePlace(ByteBuffer memory, long address, int key) {
    int length() {
        return memory.capacity();
    }
}
