package dev.jwarp.llp;

import java.nio.ByteBuffer;

/**
 * The interface of the layer above for a lower-layer connection: it receives verified ULPDUs, and provides ULPDUs to
 * send whenever there is room. The connection's owner makes all calls (one thread at a time), with the time in
 * nanoseconds of an arbitrary epoch. No call may block.
 */
public interface UpperLayer {
    /** The highest {@link #weight}. */
    int HEAVIEST = 64;

    /** Start-up is complete: ULPDUs can be received and sent from now on. Called once, before all other calls. */
    void onEstablished(LowerLayer lower, LlpAgreement agreement, long nowNanos);

    /**
     * Receives one ULPDU whose integrity the lower layer has verified.
     *
     * @param buffer holds the ULPDU; it belongs to the lower layer and is valid during this call only
     * @param offset index of the first byte (absolute gets; position and limit mean nothing)
     * @param length bytes of the ULPDU; may be 0 or anything else the peer chose
     */
    void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos);

    /**
     * {@return false if {@link #pollUlpdu} would do nothing now} Called before each {@link #pollUlpdu}, so it must be
     * fast; a connection without output takes no send buffer.
     */
    boolean wantsToSend();

    /**
     * Writes the next ULPDU to send.
     *
     * @return false if there is nothing to send now and {@code out} is unused
     */
    boolean pollUlpdu(UlpduWriter out, long nowNanos);

    /** {@return the length of this connection's turns while others are busy, 1 to {@link #HEAVIEST}} To send and receive. */
    default int weight() {
        return 1;
    }

    /** The network has accepted all ULPDUs polled so far (TCP: written to the socket): their buffers are free again. */
    void onTransmitted(long nowNanos);

    /**
     * The lower layer detected an error in the peer's stream (checksum, Marker). It delivers nothing more but can still
     * send: the layer above decides about a Terminate (RFC 5044 §8, RFC 5040 §7.1).
     *
     * @param mayAnswer false if the rules of start-up forbid sending (RFC 5044 §7.1.2 (4))
     */
    void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos);

    /**
     * A hint for people about the {@link #onLlpError} that follows at once.
     *
     * @param sentence a complete sentence with a full stop
     */
    default void advise(String sentence) {}

    /** The peer closed its direction between two ULPDUs (RFC 5041 §6.2.1); the sending direction still works. */
    void onPeerClosed(long nowNanos);

    /**
     * An exception or an Error interrupted a call of this layer or of the lower layer. The connection is abandoned, and
     * {@link #onClosed} follows. A call of this layer may be incomplete.
     */
    default void onFault(Throwable cause, long nowNanos) {}

    /**
     * The connection has ended; nothing can be received or sent. Called once, as the last call, whichever side ended
     * the connection. If this method throws, it is called once more and must continue where it was interrupted.
     */
    void onClosed(LlpEnd end, long nowNanos);

    /**
     * The lower layer has finished a group of calls: the input of several ULPDUs, an output, a timer. Completions of
     * these calls can be reported now. Not called after a call that threw; {@link #onFault} and {@link #onClosed}
     * follow then.
     */
    default void settled() {}

    /** {@return the time of the next {@link #onTimeout} in nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /** The time of {@link #nextTimeout} has come. */
    void onTimeout(long nowNanos);
}
