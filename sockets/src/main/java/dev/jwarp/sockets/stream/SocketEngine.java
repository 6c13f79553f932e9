package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The protocol engine of one end of a stream: bytes, numbers and states. It posts what has to be sent to its wire; its caller hands in what was received and completed.
 *
 * <p>One thread at a time.
 */
public interface SocketEngine {
    /** {@return what goes to the peer as private data} */
    byte[] record();

    /**
     * Takes the peer's record: data may go.
     *
     * @param privateData of the peer
     * @throws StreamException if there is no stream to be had with it
     */
    void connected(ByteBuffer privateData) throws StreamException;

    /** {@return whether {@link #write} would take something, or throw} */
    boolean writable();

    /**
     * Sends as much as goes.
     *
     * @param from gives the bytes
     * @param length how many there are
     * @return how many were taken; 0: it has to wait, until {@link #writable}
     * @throws IOException if no more can be sent
     */
    int write(StreamSource from, int length) throws IOException;

    /**
     * Sends as much as goes.
     *
     * @param data from position to limit; the position moves by what is returned
     * @return as {@link #write(StreamSource, int)}
     * @throws IOException as that
     */
    default int write(ByteBuffer data) throws IOException {
        return write(new BufferCopy().of(data), data.remaining());
    }

    /**
     * Sends as much as goes from where it is; it has to stay as it is until it is not {@link #borrowed} any more, and until then {@link #writable} says no.
     *
     * @param data from position to limit; the position moves by what is returned. Who posts is told positions of it
     * @return how many bytes go so; 0 to all of them
     * @throws IOException if no more can be sent
     */
    int gather(ByteBuffer data) throws IOException;

    /**
     * Says how long the message of the program is that begins with the next write, if writes are messages, and that write has not all of it.
     *
     * @param length in bytes; 0: as many as the write has
     */
    default void begin(long length) {}

    /** {@return whether writes are messages, and what was read last was not the end of one} */
    default boolean insideMessage() {
        return false;
    }

    /** {@return whether bytes of the program's are under way, and have to stay as they are} */
    boolean borrowed();

    /**
     * Says whether small writes may wait for others, until {@link #flush}. What cannot wait is sent at once anyhow.
     *
     * @param yes they may
     */
    default void combine(boolean yes) {}

    /** Says that another write probably follows the next one at once: the next one may wait for it, until {@link #flush}. What cannot wait is sent at once anyhow. */
    default void moreFollows() {}

    /** {@return whether bytes wait for others: {@link #flush} is to be called before long} */
    default boolean waits() {
        return false;
    }

    /** What waits for other bytes goes. */
    default void flush() {}

    /** {@return whether {@link #read} would give something, or say that no more comes} */
    boolean readable();

    /** {@return bytes that {@link #read} would give} */
    int unread();

    /**
     * Takes what has come.
     *
     * @param into where it goes
     * @param most bytes
     * @return how many bytes; 0: none yet, or no room for them; -1: no more will come
     * @throws IOException if the connection broke, or the peer did what it may not
     */
    int read(StreamSink into, int most) throws IOException;

    /**
     * Takes what has come.
     *
     * @param data where it goes, from position to limit; the position moves by what is returned
     * @return as {@link #read(StreamSink, int)}
     * @throws IOException as that
     */
    default int read(ByteBuffer data) throws IOException {
        return read(new BufferCopy().of(data), data.remaining());
    }

    /** No more will be sent; the peer learns it behind what was. */
    void shutdownOutput();

    /** Shuts down the input: data that still come are discarded. The peer is told only if the output is shut down, too. */
    void shutdownInput();

    /** Neither will be: the connection may end once {@link #finished}. */
    void close();

    /** {@return whether all that was written has gone} */
    boolean allGone();

    /** {@return whether this end has nothing more to send, so that the connection can be ended} */
    boolean finished();

    /** {@return whether the peer, or what carries the stream, broke it} */
    boolean failed();

    /** {@return whether the peer has said that it is closed: it waits for nothing more} */
    boolean peerClosed();

    /**
     * Something was sent, or will not be any more, and with it all that was posted before.
     *
     * @param id that it was posted with
     */
    void onSent(long id);

    /** A work request failed: the connection ends, and {@link #onEnded} says how. */
    void onBroken();

    /**
     * The connection is over.
     *
     * @param orderly whether its end came as that of a process that just exits, whose system closes its connections (TCP: FIN). What came is all then, as on TCP
     */
    void onEnded(boolean orderly);
}
