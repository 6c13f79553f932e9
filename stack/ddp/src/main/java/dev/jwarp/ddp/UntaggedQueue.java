package dev.jwarp.ddp;

import dev.jwarp.llp.TerminateCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of one untagged queue of a stream: assigns posted buffers to message sequence numbers, checks and places
 * each segment, and reports which messages are deliverable (RFC 5041 §5.3, §5.4, §7.1). One thread at a time; allocates
 * nothing after its creation.
 *
 * <p>Use, for each segment: {@link #place}; if the result is null, then while {@link #deliverable}, read the message
 * ({@link #buffer}, {@link #messageLength}, ...) and call {@link #delivered}. When the stream ends, {@link #drain}
 * returns the buffers of incomplete messages.
 *
 * <p>The lower layer is ordered (TCP), so a gap, an overlap or a repetition is a violation.
 *
 * @param <B> the kind of buffer
 */
public abstract class UntaggedQueue<B extends UntaggedBuffer> {
    /** RFC 5041 §4.3, DDP-4.3-1: the message sequence number of the first message of every queue. */
    public static final int FIRST_MSN = 1;

    private final UntaggedBufferSource<B> source;
    private int nextMsn = FIRST_MSN;

    UntaggedQueue(UntaggedBufferSource<B> source) {
        this.source = source;
    }

    /** {@return a queue over an ordered lower layer} */
    public static <B extends UntaggedBuffer> UntaggedQueue<B> ordered(UntaggedBufferSource<B> source) {
        return new OrderedUntaggedQueue<>(source);
    }

    /**
     * Checks a segment of this queue and places its payload. A refused segment places nothing and ends the stream: no
     * further segment may be placed.
     *
     * @param segment untagged, with the number of this queue
     * @param ulpdu the buffer that {@code segment} was parsed from
     * @param longest maximum octets of a message of this opcode (a Read Request has 28); {@link Integer#MAX_VALUE} if
     *     only the buffer limits the message
     * @return null, or the error in the segment
     */
    public abstract @Nullable TerminateCode place(DdpSegment segment, ByteBuffer ulpdu, int longest);

    /** {@return true if the next message of the queue is complete: L seen and every octet placed (RFC 5041 §5.4)} */
    public abstract boolean deliverable();

    /** {@return the buffer of the deliverable message} */
    public abstract B buffer();

    /** {@return octets of the deliverable message} */
    public abstract int messageLength();

    /** {@return the octet of the layer above in the deliverable message, 0 to 255} */
    public abstract int ulpControl();

    /** {@return the four octets of the layer above in the L segment of the deliverable message} */
    public abstract int ulpWord();

    /** The layer above has taken the deliverable message and its buffer. */
    public final void delivered() {
        if (!deliverable()) {
            throw new IllegalStateException("No message can be delivered now");
        }
        nextMsn++; // RFC 5041 §4.3, DDP-4.3-2: modulo 2^32, so 0 follows 2^32 - 1
        forgetDelivered();
    }

    abstract void forgetDelivered();

    /**
     * {@return the buffer of an undelivered message, oldest message first; null if none is left} For the end of a
     * stream; no segments may follow.
     */
    public abstract @Nullable B drain();

    /** {@return the sequence number of the next message to deliver} */
    public final int nextMsn() {
        return nextMsn;
    }

    /**
     * Sets the sequence number of the next message: for tests and test peers that start near the wrap. Only before the
     * first segment.
     */
    public final void startAt(int messageSequenceNumber) {
        nextMsn = messageSequenceNumber;
    }

    final @Nullable B take() {
        return source.take();
    }
}
