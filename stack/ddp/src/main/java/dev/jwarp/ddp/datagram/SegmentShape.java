package dev.jwarp.ddp.datagram;

import dev.jwarp.llp.datagram.Shim;

/**
 * The position of one segment in its message, by the rules of datagram-iWARP §4.5, for both directions. Every segment
 * carries Message Length len, Segment Size S and Segment Index i; all other values follow from these. Reusable. One
 * thread at a time; allocates nothing.
 *
 * <pre>
 *   off = i·S      N = ⌈len/S⌉, 1 if len = 0      n = min(S, len − off)      room = octets behind the DDP header
 * </pre>
 */
public final class SegmentShape {
    /** Maximum number of segments of a message: a Segment Index has 16 bits. */
    public static final int MOST_SEGMENTS = 1 << 16;
    /** The smallest Segment Size of a message of several segments, which limits the size of bitmaps. */
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

    /**
     * {@return the smallest Segment Size for {@code segments} segments, more than one: their lengths differ by a few
     * octets only}
     */
    public static int even(long messageLength, long segments) {
        long unit = segments * SIZE_UNIT;
        return (int) Math.max(SMALLEST_SIZE, (messageLength + unit - 1) / unit * SIZE_UNIT);
    }

    /**
     * Sets the values of a received segment if it follows the rules (DG-4.5-2), for any valid S (DG-4.5-1).
     *
     * @param last L of its DDP header
     * @param room octets between DDP header and checksum
     * @return false if the segment breaks a rule; the shape is meaningless then
     */
    public boolean received(Shim shim, boolean last, int room) {
        messageLength = shim.messageLength();
        segmentSize = shim.segmentSize();
        index = shim.segmentIndex();
        if (messageLength <= segmentSize) {
            count = 1;
            // §4.5: a single segment has S = len, unless it is padded.
            if (segmentSize != messageLength && !shim.padded()) {
                return false;
            }
        } else {
            // §4.5: N > 1 requires S ≥ 256, a multiple of 4, and N ≤ 65,536.
            if (segmentSize < SMALLEST_SIZE || segmentSize % SIZE_UNIT != 0) {
                return false;
            }
            long segments = count(messageLength, segmentSize);
            if (segments > MOST_SEGMENTS) {
                return false;
            }
            count = (int) segments;
        }
        // §4.5: i < N, and only segment N−1 has L.
        if (index >= count || last != (index == count - 1)) {
            return false;
        }
        payload = (int) Math.min(segmentSize, messageLength - offset());
        // §4.5 (DG-4.5-5): only a last segment may be padded; the room of a padded segment, and of all before the last,
        // is S.
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

    /** {@return the number of segments of the message} */
    public int count() {
        return count;
    }

    /** {@return octets of payload of this segment, without pad (DG-4.5-3)} */
    public int payload() {
        return payload;
    }

    /** {@return the offset of the payload in the message} */
    public long offset() {
        return (long) index * segmentSize;
    }
}
