package dev.jwarp.ddp.datagram;

import dev.jwarp.llp.datagram.Shim;

/**
 * Where one segment of a message stands: the rules of datagram-iWARP §4.5, for both directions. Every segment says of which
 * message it is a part (Message Length len, Segment Size S) and which part (Segment Index i); all else follows. Reusable.
 * One thread at a time; allocates nothing.
 *
 * <pre>
 *   off = i·S      N = ⌈len/S⌉, 1 if len = 0      n = min(S, len − off)      room = octets behind the DDP header
 * </pre>
 */
public final class SegmentShape {
    /** Segments a message can have: a Segment Index has 16 bits. */
    public static final int MOST_SEGMENTS = 1 << 16;
    /** The smallest Segment Size of a message of several segments: limits what a bit of a bitmap means. */
    public static final int SMALLEST_SIZE = 256;
    /** The Segment Size of a message of several segments is a multiple of this. */
    public static final int SIZE_UNIT = 4;

    private long messageLength;
    private int segmentSize;
    private int index;
    private int count = 1;
    private int payload;

    /** Creates the shape of an empty message. */
    public SegmentShape() {}

    /** {@return the number of segments of a message} More than {@link #MOST_SEGMENTS} cannot be sent. */
    public static long count(long messageLength, int segmentSize) {
        return messageLength <= segmentSize ? 1 : (messageLength + segmentSize - 1) / segmentSize;
    }

    /** {@return the smallest Segment Size by which a message has so many segments, more than one: they differ by some octets only} */
    public static int even(long messageLength, long segments) {
        long unit = segments * SIZE_UNIT;
        return (int) Math.max(SMALLEST_SIZE, (messageLength + unit - 1) / unit * SIZE_UNIT);
    }

    /**
     * Takes over what a received segment says, if it keeps the rules (DG-4.5-2), whatever S it is cut by (DG-4.5-6).
     *
     * @param last L of its DDP header
     * @param room octets between DDP header and checksum
     * @return false if it breaks a rule; the shape means nothing then
     */
    public boolean received(Shim shim, boolean last, int room) {
        messageLength = shim.messageLength();
        segmentSize = shim.segmentSize();
        index = shim.segmentIndex();
        if (messageLength <= segmentSize) {
            count = 1;
            // §4.5: a single segment has S = len, unless pad makes it larger.
            if (segmentSize != messageLength && !shim.padded()) {
                return false;
            }
        } else {
            // §4.5: N > 1 asks for S ≥ 256, a multiple of 4, and N ≤ 65,536.
            if (segmentSize < SMALLEST_SIZE || segmentSize % SIZE_UNIT != 0) {
                return false;
            }
            long segments = count(messageLength, segmentSize);
            if (segments > MOST_SEGMENTS) {
                return false;
            }
            count = (int) segments;
        }
        // §4.5: i < N, and L stands exactly in segment N−1.
        if (index >= count || last != (index == count - 1)) {
            return false;
        }
        payload = (int) Math.min(segmentSize, messageLength - offset());
        // §4.5 (DG-4.5-5): only a last segment may be padded; then, and in all before it, the room is S.
        if (shim.padded() && !last) {
            return false;
        }
        return room == (last && !shim.padded() ? payload : segmentSize);
    }

    /** {@return octets of payload of the whole message, 0 to 2^32 - 1} */
    public long messageLength() {
        return messageLength;
    }

    /** {@return octets of payload of every segment but the last} */
    public int segmentSize() {
        return segmentSize;
    }

    /** {@return the number of this segment, from 0} */
    public int index() {
        return index;
    }

    /** {@return how many segments the message has} */
    public int count() {
        return count;
    }

    /** {@return octets of payload of this segment, without pad (DG-4.5-3)} */
    public int payload() {
        return payload;
    }

    /** {@return where its payload is in the message} */
    public long offset() {
        return (long) index * segmentSize;
    }
}
