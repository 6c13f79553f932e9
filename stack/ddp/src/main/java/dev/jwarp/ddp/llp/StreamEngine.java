package dev.jwarp.ddp.llp;

import java.nio.ByteBuffer;

/**
 * A lower layer over a byte stream, without the stream: octets in, octets out, and a clock that is handed in. A driver
 * (sockets, an event loop, the simulator) moves the octets. One thread at a time.
 */
public interface StreamEngine {
    /** {@return the connection that this engine carries; the same object at every call} Any thread. */
    LlpConnection connection();

    /** The byte stream is open. */
    void onConnected(long nowNanos);

    /**
     * Initiator: the byte stream did not come about. The engine tells its {@link ConnectionHandler}, and is over.
     *
     * @param sentence what happened, naming the peer
     */
    void onConnectFailed(LlpFailure failure, String sentence, long nowNanos);

    /** Octets from the peer; consumes all of {@code in}, in any split. {@code in} belongs to the driver. */
    void receive(ByteBuffer in, long nowNanos);

    /**
     * {@return how many octets the driver may read for {@link #receive} now, {@code most} if it does not matter; 0 if it is
     * other connections' turn}
     *
     * @param most octets that the driver can read, more than 0
     * @param first whether this is the first read of a turn, which is never 0
     */
    default int readQuota(int most, boolean first) {
        return most;
    }

    /** The peer closed its direction of the byte stream (TCP: FIN). */
    void onInputClosed(long nowNanos);

    /** The byte stream broke (TCP: RST, I/O error). */
    void onBroken(long nowNanos);

    /**
     * The byte stream broke because the peer does not answer any more (TCP: keep-alive probes, or bytes sent again, without
     * an answer).
     */
    default void onTimedOut(long nowNanos) {
        onBroken(nowNanos);
    }

    /**
     * Something threw while the driver was in a call of this engine, or did something for it: an error of this side. What
     * was under way is half done, so the stream ends here and now: the layer above gets the cause, {@link #ending} is
     * {@link Ending#ABORT} afterwards. Not from within another call of this engine. Throws nothing itself.
     */
    void onFault(Throwable cause, long nowNanos);

    /**
     * Prepares output: after true, {@link #output} holds at least one octet.
     *
     * @return false if there is nothing to write now
     */
    boolean prepareOutput(long nowNanos);

    /**
     * {@return whether {@link #prepareOutput} may answer true now, but it is other connections' turn} Takes nothing for output
     * yet: neither buffer nor memory.
     *
     * @param writes how often the driver has written in this turn; the first time is no other connection's turn
     */
    default boolean endsTurn(int writes) {
        return writes > 0;
    }

    /** {@return the buffers to write, from index 0 up to {@link #outputCount}; the driver advances their positions} */
    ByteBuffer[] output();

    /** {@return how many of {@link #output} are in use} */
    int outputCount();

    /** The driver wrote {@code octets} of {@link #output}; once all are written, completions follow. */
    void onWritten(long octets, long nowNanos);

    /**
     * {@return what the driver has to do to the byte stream once {@link #prepareOutput} answers false;
     * {@link Ending#ABORT} at once} After CLOSE or ABORT the driver calls nothing of this engine any more.
     */
    Ending ending();

    /** {@return when {@link #onTimeout} is wanted, nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /** The time of {@link #nextTimeout} has come (or passed). */
    void onTimeout(long nowNanos);

    /** What is to be done to the byte stream. */
    enum Ending {
        /** Nothing: it stays open. */
        OPEN,
        /** Close our direction (FIN), go on reading. */
        SHUT_DOWN_OUTPUT,
        /** Close the whole stream in order. */
        CLOSE,
        /** Reset it. */
        ABORT,
        /**
         * Initiator, and only if a setting asks for it (RFC 6581 §10: revision 1 needs a new TCP connection): close the
         * stream, connect another one to the same address, and go on with {@link #onConnected} or {@link
         * #onConnectFailed} of this engine.
         */
        RECONNECT
    }
}
