package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Fast path for consecutive datagrams of one message. The first passes all checks (datagram-iWARP §5) and finds the
 * record of its message. A following datagram that differs only in its position within the message passes the same
 * checks, so only the differences are checked. Any other datagram, the last segment of a message, and the last missing
 * segment go through all checks. Owner thread only; allocates nothing.
 */
final class SegmentRun {
    private final Tally<DatagramCounter> counters;
    private @Nullable MessageRecord record;
    private int index;

    SegmentRun(Tally<DatagramCounter> counters) {
        this.counters = counters;
    }

    /** Starts a run after a placed segment whose message is still open; null if there is none. */
    void follow(@Nullable MessageRecord open, int placed) {
        record = open;
        index = placed;
    }

    /** {@return whether the next segment of the message may follow} */
    boolean goesOn() {
        return record != null;
    }

    /** {@return whether the segment at {@code at} continues the segment at {@code before}, and was placed} */
    boolean next(ByteBuffer buffer, int before, int at, long nowNanos) {
        MessageRecord open = record;
        int next = index + 1;
        if (open == null || !admits(open, next, nowNanos) || !follows(open, buffer, before, at)) {
            return false;
        }
        int size = open.map.segmentSize();
        int header = open.writeRecord() ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        open.place((long) next * size, buffer, at + header, size);
        open.map.place(next);
        counters.count(DatagramCounter.RX_OK);
        index = next;
        return true;
    }

    /** The parts of checks 14 and 16 that depend on the segment: not the last, and not placed before. */
    private static boolean admits(MessageRecord open, int next, long nowNanos) {
        return next < open.map.segments() - 1
                && open.map.missing() > 1
                && !open.map.isPlaced(next)
                && open.memoryValid(nowNanos);
    }

    /**
     * Compares the DDP headers: equal fields have passed checks 11 to 13, 15 and 18, and the offset is one Segment Size
     * higher.
     */
    private static boolean follows(MessageRecord open, ByteBuffer buffer, int before, int at) {
        int size = open.map.segmentSize();
        if (open.writeRecord()) {
            return buffer.getInt(at) == buffer.getInt(before)
                    && buffer.getInt(at + TaggedHeader.STAG_OFFSET) == buffer.getInt(before + TaggedHeader.STAG_OFFSET)
                    && buffer.getLong(at + TaggedHeader.TO_OFFSET)
                            == buffer.getLong(before + TaggedHeader.TO_OFFSET) + size;
        }
        return buffer.getLong(at) == buffer.getLong(before)
                && buffer.getLong(at + UntaggedHeader.QN_OFFSET) == buffer.getLong(before + UntaggedHeader.QN_OFFSET)
                && buffer.getInt(at + UntaggedHeader.MO_OFFSET)
                        == buffer.getInt(before + UntaggedHeader.MO_OFFSET) + size;
    }
}
