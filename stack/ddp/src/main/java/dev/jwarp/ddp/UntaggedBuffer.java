package dev.jwarp.ddp;

import java.nio.ByteBuffer;

/**
 * A posted buffer of an {@link UntaggedQueue}, which receives the bytes of one message. Called by the connection's
 * owner.
 */
public interface UntaggedBuffer {
    /** {@return the capacity in bytes} Must not change while the queue holds the buffer. */
    int capacity();

    /**
     * Copies payload to its place. The queue has checked that the payload fits. In unordered mode the same bytes may be
     * placed more than once (RFC 5041 §5.3).
     *
     * @param messageOffset of the first byte in the message
     * @param source memory to read by absolute index; its position and limit are neither used nor changed
     * @param from index of the first byte in {@code source}
     * @param length bytes, 1 or more
     */
    void place(int messageOffset, ByteBuffer source, int from, int length);
}
