package dev.jwarp.sockets;

/**
 * Memory of the program that the peer of a stream may write to (librdmacm's {@code riomap}); close it to take that back ({@code riounmap}). A peer that writes there
 * afterwards loses its connection. It ends with the channel, too, if it is not closed before. Threads: any.
 */
@FunctionalInterface
public interface SharedMemory extends AutoCloseable {
    /** The peer may not write there any more. Waits, if the peer cannot be told at once. Once only. */
    @Override
    void close();
}
