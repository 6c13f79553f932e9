package dev.jwarp.ddp;

import java.nio.ByteBuffer;

/**
 * A posted buffer as the receiving side of an {@link UntaggedQueue} needs it: something of a known size into which
 * octets of one message are placed. Called by the connection's owner.
 */
public interface UntaggedBuffer {
    /** {@return octets it can hold} Must not change while the queue holds it. */
    int capacity();

    /**
     * Copies payload to where it belongs. The queue has checked that it fits. In unordered mode the same octets may be
     * placed more than once (RFC 5041 §5.3).
     *
     * @param messageOffset of the first octet in the message
     * @param source memory to read by absolute index; its position and limit are neither used nor changed
     * @param from index of the first octet in {@code source}
     * @param length octets, 1 or more
     */
    void place(int messageOffset, ByteBuffer source, int from, int length);
}
