package dev.jwarp.llp.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UpperLayer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The interface of a datagram queue pair for its port: it receives the DDP segments of datagrams that have passed
 * checks 1 to 10 (datagram-iWARP §5), and provides segments to send whenever there is room. The port's owner makes all
 * calls (one thread at a time), with the time in nanoseconds of an arbitrary epoch. No call may block.
 */
public interface DatagramUpperLayer {
    /**
     * The queue pair is attached to a port: datagrams can be received and sent from now on. Called once, before all
     * other calls.
     */
    void onAttached(DatagramLowerLayer lower, long nowNanos);

    /**
     * {@return whether a reply belongs to a message of this queue pair: a recent send or outstanding Read with this
     * Message Id went to that address and queue pair with this Key} Check 9 for replies of UD.
     */
    boolean asked(ReceivedDatagram reply);

    /**
     * Receives one DDP segment with a verified checksum: checks 11 to 20.
     *
     * @param segment the datagram with the segment; valid during the call only, with all its parts
     */
    SegmentFate onSegment(ReceivedDatagram segment, long nowNanos);

    /**
     * {@return whether the next segments of the message whose segment {@link #onSegment} has just accepted may go to
     * {@link #onNextSegment}} UD.
     */
    default boolean wantsNext() {
        return false;
    }

    /**
     * The next DDP segment of the message whose segment was accepted last, at the same time and without calls in
     * between. Its datagram follows the previous one in memory, has the same length and a correct checksum, and its
     * shim differs only in the Segment Index, which is one more. So only the differences need checks. UD; only while
     * {@link #wantsNext}.
     *
     * @param buffer big-endian; read by absolute index
     * @param before index of the DDP header of the last accepted segment
     * @param offset index of the DDP header of this segment
     * @return false if the segment was not placed; the caller passes it to {@link #onSegment} then
     */
    default boolean onNextSegment(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return false;
    }

    /** {@return whether the queue pair works: a UD queue pair in the error state is treated as missing} Check 7. */
    default boolean working() {
        return true;
    }

    /**
     * {@return the weight, 1 to {@link UpperLayer#HEAVIEST}: the share of the port's bytes when not everything can be
     * sent, relative to weight 1} Any thread.
     */
    default int weight() {
        return 1;
    }

    /**
     * UD: a peer does not answer, although much was sent to it for long. Almost nothing is sent to it until it answers
     * (RFC 8085 §3.1.10). Called within {@link #pollSegment}.
     */
    default void onSilent(DatagramPeer peer, long nowNanos) {}

    /** {@return the code of the segment last answered with {@link SegmentFate#REFUSED}} */
    TerminateCode refusal();

    /** {@return the name of the counter that counted the last segment that was not {@link SegmentFate#ACCEPTED}} */
    String cause();

    /**
     * UD: a NOTIFY that passed {@link #asked}.
     *
     * @param control the Terminate Control as on the wire: layer 4 bits, type 4, code 8, the rest 0
     */
    void onNotify(ReceivedDatagram reply, int control, long nowNanos);

    /** UD: a CHALLENGE that passed {@link #asked}; the request must be repeated with the cookie. */
    void onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos);

    /**
     * {@return whether {@link #pollSegment} has work} UD: a received segment is followed by a turn to send only then.
     * Work of other threads does not count, because it rings the doorbell.
     */
    default boolean hasOutput() {
        return true;
    }

    /**
     * Writes the next segment to send.
     *
     * @return false if there is nothing to send now and {@code out} is unused
     */
    boolean pollSegment(SegmentWriter out, long nowNanos);

    /**
     * RD: writes a segment again, exactly as the first time.
     *
     * @param message the argument of {@link SegmentWriter#end}
     * @param index index of the segment
     * @return false if its memory is deregistered: the message has failed, and the channel must be closed
     */
    boolean repeatSegment(OutboundMessage message, int index, SegmentWriter out, long nowNanos);

    /** UD: the kernel has accepted all datagrams polled so far. */
    void onTransmitted(long nowNanos);

    /**
     * RD: the peer has accepted the next {@code segments} segments of this message.
     *
     * @param message the argument of {@link SegmentWriter#end}
     */
    void onAccepted(OutboundMessage message, int segments, long nowNanos);

    /**
     * The kernel refuses a datagram of this message permanently, for instance because it exceeds the MTU. The message
     * fails; others continue.
     */
    void onUnsendable(OutboundMessage message, String sentence, long nowNanos);

    /**
     * RD: the channel with a peer has failed. Messages with a segment that was sent and not accepted fail with
     * {@code status}. If {@code all}, the other messages fail too (flushed unless the peer was silent); otherwise they
     * wait for the next channel. Records and jobs of the peer end, and Reads whose request the peer has accepted fail.
     * Also called for an idle channel that is forgotten or reopened, with {@code PEER_RESET} and without {@code all}.
     *
     * @param peer address and queue pair number; the object need not be that of the posted work
     * @param code the code that the peer sent, if any
     */
    void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos);

    /** A peer supports no common version; for an async event. */
    void onVersionList(ReceivedDatagram reply, int versions, long nowNanos);

    /** {@return the time of the next {@link #onTimeout} in nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /**
     * The time of {@link #nextTimeout} has come, and all datagrams that the socket held by then have been delivered, so
     * that a pause of the JVM does not turn waiting datagrams into losses.
     */
    void onTimeout(long nowNanos);

    /**
     * An exception or an Error interrupted a call for this queue pair, which goes to its error state. Other queue pairs
     * of the port continue.
     */
    default void onFault(Throwable cause, long nowNanos) {}

    /**
     * The port has finished a group of calls for this queue pair: the datagrams of one read, an output, a timer.
     * Completions of these calls can be reported now.
     */
    default void settled() {}

    /** The port is closed; nothing can be received or sent. Called once, as the last call. */
    void onDetached(long nowNanos);
}
