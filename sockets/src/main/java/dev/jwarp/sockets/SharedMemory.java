package dev.jwarp.sockets;

/**
 * Memory of the program that the peer of a stream may write to (librdmacm's {@code riomap}). Closing it ends the
 * sharing ({@code riounmap}), and so does the end of the channel. Any thread.
 * <p>The peer's program must stop first: it stops writing, and then notifies this program, for example with a byte of
 * the stream. Earlier writes have arrived when that byte arrives. The protocol has no acknowledgement of the end of
 * sharing, so a write that is in flight, or that the peer begins before it is notified, fails and ends the connection.
 */
@FunctionalInterface
public interface SharedMemory extends AutoCloseable {
    /**
     * Ends the sharing, and notifies the peer. Blocks if the peer cannot be notified at once. To be called once, after
     * the peer has stopped writing.
     */
    @Override
    void close();
}
