package dev.jwarp.ddp.llp;

import dev.jwarp.ddp.TerminateCode;
import java.nio.ByteBuffer;

/**
 * The layer above a lower-layer connection, as the lower layer sees it: it takes verified ULPDUs, and is asked for
 * ULPDUs to send whenever there is room. All calls come from the connection's owner (one thread at a time), with the
 * time in nanoseconds of an arbitrary epoch. No call may block.
 */
public interface UpperLayer {
    /** Start-up is over: ULPDUs may come and may be asked for from now on. Called once, first. */
    void onEstablished(LowerLayer lower, LlpAgreement agreement, long nowNanos);

    /**
     * One whole ULPDU whose integrity the lower layer has verified.
     *
     * @param buffer holds the ULPDU; it belongs to the lower layer and is valid during this call only
     * @param offset index of the first octet (absolute gets; position and limit mean nothing)
     * @param length octets of the ULPDU; may be 0 or anything else the peer chose
     */
    void onUlpdu(ByteBuffer buffer, int offset, int length, long nowNanos);

    /**
     * {@return false if {@link #pollUlpdu} would do nothing now} Asked before each {@link #pollUlpdu}, so it is
     * short, and no connection takes a send buffer that has nothing to send.
     */
    boolean wantsToSend();

    /**
     * Asks for the next ULPDU to send.
     *
     * @return false if there is nothing to send now and {@code out} was not touched
     */
    boolean pollUlpdu(UlpduWriter out, long nowNanos);

    /** Every ULPDU polled so far is with the network (TCP took it): their buffers are free again. */
    void onTransmitted(long nowNanos);

    /**
     * The lower layer found the peer's stream broken (checksum, Marker). It delivers nothing more but can still send:
     * the layer above decides whether to say so in a Terminate (RFC 5044 §8, RFC 5040 §7.1).
     *
     * @param mayAnswer false if the rules of start-up forbid to send anything (RFC 5044 §7.1.2 (4))
     */
    void onLlpError(TerminateCode code, boolean mayAnswer, long nowNanos);

    /**
     * What a person can do about an {@link #onLlpError} that follows at once.
     *
     * @param sentence whole, with a full stop
     */
    default void advise(String sentence) {}

    /** The peer closed its direction between two ULPDUs (RFC 5041 §6.2.1); ours still works. */
    void onPeerClosed(long nowNanos);

    /**
     * This side failed in the middle of a call, this layer's or the lower one's, by an exception or an Error: the connection is
     * given up for it, and {@link #onClosed} follows. A call of this layer may have been left half done.
     */
    default void onFault(Throwable cause, long nowNanos) {}

    /**
     * The connection is gone; nothing comes and nothing can be sent. Called once, last, whichever side ended it; if it throws, once
     * more, and goes on where it was interrupted.
     */
    void onClosed(LlpEnd end, long nowNanos);

    /**
     * The lower layer has made the calls that it had to make for now: an input of many ULPDUs, an output, a timer. What these calls
     * have completed can go out. Not called after a call that threw; {@link #onFault} and {@link #onClosed} follow then.
     */
    default void settled() {}

    /** {@return when {@link #onTimeout} is wanted, in nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /** The time asked for by {@link #nextTimeout} has come (or passed). */
    void onTimeout(long nowNanos);
}
