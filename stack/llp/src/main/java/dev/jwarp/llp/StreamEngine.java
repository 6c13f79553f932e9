package dev.jwarp.llp;

import java.nio.ByteBuffer;

/**
 * A lower layer over a byte stream, without input and output: a driver (sockets, an event loop, the simulator) passes
 * bytes in and out, and the time. One thread at a time.
 */
public interface StreamEngine {
    /** {@return the connection that this engine carries; the same object at every call} Any thread. */
    LlpConnection connection();

    /** The byte stream is open. */
    void onConnected(long nowNanos);

    /**
     * Initiator: the byte stream could not be connected. The engine informs its {@link ConnectionHandler} and ends.
     *
     * @param sentence what happened, naming the peer
     */
    void onConnectFailed(LlpFailure failure, String sentence, long nowNanos);

    /**
     * Receives bytes of the peer; consumes all of {@code in}. The bytes may be split in any way. {@code in} belongs to
     * the driver.
     */
    void receive(ByteBuffer in, long nowNanos);

    /**
     * {@return the number of bytes that the driver may read for {@link #receive} now; 0 at the end of the turn of this
     * connection}
     *
     * @param most maximum number of bytes that the driver can read, more than 0
     * @param reads number of reads of the driver in this turn; for the first, 0, the result is never 0
     */
    default int readQuota(int most, int reads) {
        return reads == 0 ? most : 0;
    }

    /** The peer closed its direction of the byte stream (TCP: FIN). */
    void onInputClosed(long nowNanos);

    /** The byte stream failed (TCP: RST, I/O error). */
    void onBroken(long nowNanos);

    /**
     * The byte stream failed because the peer does not answer any more (TCP: unanswered keep-alive probes or
     * retransmissions).
     */
    default void onTimedOut(long nowNanos) {
        onBroken(nowNanos);
    }

    /**
     * A call of this engine, or work for it, threw an exception: a local error. The interrupted work is incomplete, so
     * the stream ends at once: the layer above gets the cause, and {@link #ending} is {@link Ending#ABORT} afterwards.
     * Not from within another call of this engine. Throws nothing itself.
     */
    void onFault(Throwable cause, long nowNanos);

    /**
     * Prepares output: after true, {@link #output} holds at least one byte.
     *
     * @return false if there is nothing to write now
     */
    boolean prepareOutput(long nowNanos);

    /**
     * {@return whether {@link #prepareOutput} may have something to do, but the turn of this connection is over} Takes
     * neither buffers nor memory for output.
     *
     * @param writes number of writes of the driver in this turn; the first write is always permitted
     * @param received whether these writes follow a read: a turn has several reads
     */
    default boolean endsTurn(int writes, boolean received) {
        return writes > 0;
    }

    /** {@return the buffers to write, from index 0 up to {@link #outputCount}; the driver advances their positions} */
    ByteBuffer[] output();

    /** {@return the number of buffers of {@link #output} in use} */
    int outputCount();

    /**
     * The driver has written some bytes of {@link #output}. When all are written, the engine reports completions.
     *
     * @param octets the number of bytes that were written
     * @return false if {@link #prepareOutput} would return false now and change nothing, so the driver need not call it
     */
    boolean onWritten(long octets, long nowNanos);

    /**
     * {@return what the driver must do with the byte stream once {@link #prepareOutput} or {@link #onWritten} returns
     * false; for {@link Ending#ABORT} at once} After CLOSE or ABORT the driver does not call this engine any more.
     */
    Ending ending();

    /** {@return the time of the next {@link #onTimeout} in nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /** The time of {@link #nextTimeout} has come. */
    void onTimeout(long nowNanos);

    /** What the driver must do with the byte stream. */
    enum Ending {
        /** Nothing: the stream stays open. */
        OPEN,
        /** Close the sending direction (FIN), and continue reading. */
        SHUT_DOWN_OUTPUT,
        /** Close the whole stream in order. */
        CLOSE,
        /** Reset the stream. */
        ABORT,
        /**
         * Initiator, only with the fallback setting (RFC 6581 §10: revision 1 needs a new TCP connection): close the
         * stream, connect another one to the same address, and continue with {@link #onConnected} or
         * {@link #onConnectFailed} of this engine.
         */
        RECONNECT
    }
}
