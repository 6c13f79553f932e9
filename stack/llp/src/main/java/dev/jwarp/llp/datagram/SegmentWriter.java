package dev.jwarp.llp.datagram;

import dev.jwarp.llp.PayloadWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the segment that the lower layer has requested from the layer above; the lower layer adds shim, pad and
 * checksum.
 *
 * <p>Use: {@link #admits}, then {@link #begin} or, for the next segment of a message, {@link #beginNext}; after {@link
 * #begin} write the DDP header into {@link #buffer()} at the returned index, then {@link #payload} zero or more times
 * until the announced length is reached, then {@link #end}. Owner thread only; allocates nothing.
 */
public interface SegmentWriter extends PayloadWriter {
    /**
     * {@return whether a datagram may be sent to that peer now; false if pacing or the window of its channel forbids
     * it, or its channel is not open yet (the call opens it)} Work for other peers may continue; the lower layer polls
     * again.
     */
    boolean admits(DatagramPeer peer, long nowNanos);

    /**
     * {@return the largest multiple of 4 of payload bytes that a segment to that peer can carry}
     *
     * @param headerLength bytes of the DDP header, 14 or 18
     * @param cookie whether the datagram carries the peer's cookie
     */
    int segmentSize(DatagramPeer peer, int headerLength, boolean cookie);

    /**
     * Begins a segment.
     *
     * @param shim everything but Key and flags of RD, which the lower layer fills in; read during the call only
     * @param cookie whether to carry {@link DatagramPeer#cookieHigh() the peer's cookie}
     * @param payloadLength bytes without pad; the lower layer pads up to the Segment Size if the shim says padded
     * @return the absolute index in {@link #buffer()} where the {@code headerLength} header bytes are to be written
     */
    int begin(DatagramPeer peer, Shim shim, boolean cookie, int headerLength, int payloadLength);

    /**
     * Begins the next segment of the same message directly after the last ended segment, in the same turn. Both
     * segments have the same length, and neither is the last of the message. The lower layer copies shim and DDP header
     * with the next Segment Index and the next offset, so the caller writes nothing into {@link #buffer()}.
     *
     * @return false if the segment was not begun, because the turn has no space for it, or this service writes each
     *     segment separately
     */
    default boolean beginNext() {
        return false;
    }

    /** {@return the big-endian buffer that holds the header of the segment begun last; use absolute puts only} */
    ByteBuffer buffer();

    /**
     * Ends the segment.
     *
     * @param message the message of the segment, for {@link DatagramUpperLayer#repeatSegment},
     *     {@link DatagramUpperLayer#onAccepted} and {@link DatagramUpperLayer#onUnsendable}; null if they are not
     *     needed
     */
    void end(@Nullable OutboundMessage message);
}
