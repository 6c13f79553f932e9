package dev.jwarp.sockets.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The protocol engine of one end of a stream. It posts requests through its wire; its caller passes completed receives
 * and requests to it.
 *
 * <p>One thread at a time.
 */
public interface SocketEngine {
    /** {@return the record for the peer, as private data} */
    byte[] record();

    /**
     * Starts the stream with the peer's record; from now on data may be sent.
     *
     * @param privateData of the peer
     * @throws StreamException if no stream is possible with the peer
     */
    void connected(ByteBuffer privateData) throws StreamException;

    /** {@return whether {@link #write} would accept bytes or throw} */
    boolean writable();

    /**
     * Sends as many bytes as possible.
     *
     * @param from source of the bytes
     * @param length number of bytes
     * @return number of accepted bytes; 0 if the caller must wait until {@link #writable}
     * @throws IOException if no more can be sent
     */
    int write(StreamSource from, int length) throws IOException;

    /**
     * Sends as many bytes as possible.
     *
     * @param data from position to limit; the position moves by the returned value
     * @return as {@link #write(StreamSource, int)}
     * @throws IOException as that
     */
    default int write(ByteBuffer data) throws IOException {
        return write(new BufferCopy().of(data), data.remaining());
    }

    /**
     * Sends as many bytes as possible without a copy. The bytes must not change while they are {@link #borrowed};
     * during that time {@link #writable} is false.
     *
     * @param data from position to limit; the position moves by the returned value. The wire gets positions of this
     *     buffer
     * @return number of bytes that are sent without a copy; 0 to all of them
     * @throws IOException if no more can be sent
     */
    int gather(ByteBuffer data) throws IOException;

    /**
     * Sets the length of the program's message that begins with the next write, if that write has only a part of it.
     * Without effect unless writes are messages.
     *
     * @param length in bytes; 0: the length of the write
     */
    default void begin(long length) {}

    /** {@return whether writes are messages and the last read ended inside a message} */
    default boolean insideMessage() {
        return false;
    }

    /** {@return whether sends from the program's memory are outstanding, so that it must not change} */
    boolean borrowed();

    /**
     * Sets whether small writes may wait for further bytes until {@link #flush}. Bytes that cannot wait are sent at
     * once.
     *
     * @param yes whether small writes may wait
     */
    default void combine(boolean yes) {}

    /**
     * Announces that another write probably follows directly after the next one: the next one may wait for it until
     * {@link #flush}. Bytes that cannot wait are sent at once.
     */
    default void moreFollows() {}

    /** {@return whether bytes wait for further bytes, so that {@link #flush} must be called soon} */
    default boolean waits() {
        return false;
    }

    /** Sends waiting bytes. */
    default void flush() {}

    /** {@return whether {@link #read} would return bytes or the end, or throw} */
    boolean readable();

    /** {@return the number of bytes that can be read} */
    int unread();

    /**
     * Reads received bytes.
     *
     * @param into destination of the bytes
     * @param most maximum of bytes
     * @return number of bytes; 0: none yet, or {@code most} is 0; -1: the end of the stream
     * @throws IOException if the connection has failed, or the peer has violated the protocol
     */
    int read(StreamSink into, int most) throws IOException;

    /**
     * Reads received bytes.
     *
     * @param data destination, from position to limit; the position moves by the returned value
     * @return as {@link #read(StreamSink, int)}
     * @throws IOException as that
     */
    default int read(ByteBuffer data) throws IOException {
        return read(new BufferCopy().of(data), data.remaining());
    }

    /** Shuts down the output: the peer gets the end of the stream after the bytes that were written. */
    void shutdownOutput();

    /**
     * Shuts down the input: data that still come are discarded. The peer is told only if the output is shut down, too.
     */
    void shutdownInput();

    /** Closes both directions; the connection may be closed once {@link #finished}. */
    void close();

    /** {@return whether all bytes that were written are sent} */
    boolean allGone();

    /** {@return whether this end has nothing more to send, so that the connection can be closed} */
    boolean finished();

    /** {@return whether the stream has failed because of the peer or the connection} */
    boolean failed();

    /** {@return whether the peer has closed the stream and waits for nothing more} */
    boolean peerClosed();

    /**
     * Processes the completion of a request, successful or not, and thereby of all earlier requests.
     *
     * @param id of the request
     */
    void onSent(long id);

    /** Notes that a work request has failed: the connection ends, and {@link #onEnded} gets the reason. */
    void onBroken();

    /**
     * Notes the end of the connection.
     *
     * @param orderly whether the peer's system has closed the connection in order (TCP: FIN), as when a process exits.
     *     As on TCP, the stream then ends after the received bytes
     */
    void onEnded(boolean orderly);
}
