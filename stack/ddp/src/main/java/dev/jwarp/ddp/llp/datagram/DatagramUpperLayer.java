package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.OperationStatus;
import dev.jwarp.ddp.TerminateCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A datagram queue pair as the port below sees it: it takes the DDP segments of datagrams that have passed checks 1 to 10
 * (datagram-iWARP §5), and is asked for segments to send whenever there is room. All calls come from the port's owner (one
 * thread at a time), with the time in nanoseconds of an arbitrary epoch. No call may block.
 */
public interface DatagramUpperLayer {
    /** The queue pair is attached to a port: datagrams may come and may be asked for from now on. Called once, first. */
    void onAttached(DatagramLowerLayer lower, long nowNanos);

    /**
     * {@return whether this queue pair asked this: a recent send or outstanding Read with this Message Id went to that
     * address and queue pair under this Key} Check 9 for replies of UD.
     */
    boolean asked(ReceivedDatagram reply);

    /**
     * One DDP segment, checksum verified: checks 11 to 20.
     *
     * @param segment the datagram that carries it: valid during the call only, with all that it holds
     */
    SegmentFate onSegment(ReceivedDatagram segment, long nowNanos);

    /**
     * {@return whether more of the message is wanted whose segment {@link #onSegment} has just accepted, by {@link
     * #onNextSegment}} UD.
     */
    default boolean wantsNext() {
        return false;
    }

    /**
     * One more DDP segment of the message whose segment was accepted last, at the same time and with no call in between: its
     * datagram stands right behind that one, has the same length and the right checksum, and its shim differs in the Segment Index
     * alone, which is one more. So only what is not the same needs a check. UD; only while {@link #wantsNext}.
     *
     * @param buffer big-endian; by absolute index
     * @param before where the DDP header of the segment accepted last begins
     * @param offset where that of this one begins
     * @return whether it was placed; if not, nothing was done, and {@link #onSegment} is to judge it
     */
    default boolean onNextSegment(ByteBuffer buffer, int before, int offset, long nowNanos) {
        return false;
    }

    /** {@return whether the queue pair works: in the error state a UD queue pair is as none} Check 7. */
    default boolean working() {
        return true;
    }

    /**
     * {@return its share of what its port sends where that is not enough for all, 1 to 64: so many times the bytes of one with
     * weight 1} Any thread.
     */
    default int weight() {
        return 1;
    }

    /**
     * UD: nothing comes from a peer, although much has been sent there for long: from now on next to nothing is, until something
     * comes (RFC 8085 §3.1.10). From within {@link #pollSegment}.
     */
    default void onSilent(DatagramPeer peer, long nowNanos) {}

    /** {@return the code of the segment last answered with {@link SegmentFate#REFUSED}} */
    TerminateCode refusal();

    /** {@return the name of the counter that the segment moved which was last not {@link SegmentFate#ACCEPTED}} */
    String cause();

    /**
     * UD: a NOTIFY that passed {@link #asked}.
     *
     * @param control the Terminate Control as on the wire: layer 4 bits, type 4, code 8, the rest 0
     */
    void onNotify(ReceivedDatagram reply, int control, long nowNanos);

    /** UD: a CHALLENGE that passed {@link #asked}; the cookie is to be shown with the same question again. */
    void onChallenge(ReceivedDatagram reply, long cookieHigh, long cookieLow, long nowNanos);

    /**
     * Asks for the next segment to send.
     *
     * @return false if there is nothing to send now and {@code out} was not touched
     */
    boolean pollSegment(SegmentWriter out, long nowNanos);

    /**
     * RD: writes a segment once more, exactly as the first time.
     *
     * @param message what was given to {@link SegmentWriter#end}
     * @param index of the segment
     * @return false if its memory is gone: the message has failed, and the channel has to be closed
     */
    boolean repeatSegment(OutboundMessage message, int index, SegmentWriter out, long nowNanos);

    /** UD: every datagram polled so far is with the kernel. */
    void onTransmitted(long nowNanos);

    /**
     * RD: the peer has accepted the oldest {@code segments} segments of this message that were not yet reported.
     *
     * @param message what was given to {@link SegmentWriter#end}
     */
    void onAccepted(OutboundMessage message, int segments, long nowNanos);

    /** The kernel will never take a datagram of this message, such as one beyond the MTU: it fails, the others go on. */
    void onUnsendable(OutboundMessage message, String sentence, long nowNanos);

    /**
     * RD: the channel with a peer has failed. Messages of which a segment was sent and not accepted fail with {@code
     * status}; the others fail too if {@code all}, flushed unless the peer was silent, else they wait for the next channel. Records
     * and jobs of that peer end, and Reads of which it has accepted the request fail. An idle channel that is forgotten, or opened anew, comes here too,
     * with {@code PEER_RESET} and not {@code all}.
     *
     * @param peer names address and queue pair number; the object need not be the one that the work was posted with
     * @param code what the peer said, if it said anything
     */
    void onChannelLost(
            DatagramPeer peer, OperationStatus status, @Nullable TerminateCode code, boolean all, long nowNanos);

    /** A peer speaks other versions only; for an async event. */
    void onVersionList(ReceivedDatagram reply, int versions, long nowNanos);

    /** {@return when {@link #onTimeout} is wanted, in nanoseconds; {@link Long#MAX_VALUE} for never} */
    long nextTimeout();

    /**
     * The time asked for has come (or passed), and everything that the socket held by then has been delivered: a pause of
     * the JVM does not turn datagrams that wait in the socket into losses.
     */
    void onTimeout(long nowNanos);

    /**
     * This side failed in the middle of a call for this queue pair, by an exception or an Error: it goes to its error state. Other
     * queue pairs of the port go on.
     */
    default void onFault(Throwable cause, long nowNanos) {}

    /** The port is gone; nothing comes and nothing can be sent. Called once, last. */
    void onDetached(long nowNanos);
}
