package dev.jwarp.sockets;

/**
 * Memory of the program that the peer of a stream may write to (librdmacm's {@code riomap}); close it to take that back ({@code riounmap}). It ends with the channel, too, if it
 * is not closed before. Threads: any.
 *
 * <p>The program of the peer stops first: it writes no more, and then says so, with a byte of the stream for example. What it has written before is there when that byte is. The protocol has no
 * word by which the peer's side could agree, so a write that is under way, or that the peer begins before it has heard of the end, finds no memory, and its connection ends.
 */
@FunctionalInterface
public interface SharedMemory extends AutoCloseable {
    /** The peer may not write there any more, and is told. Waits, if the peer cannot be told at once. Once only; after the peer has said that it writes no more. */
    @Override
    void close();
}
