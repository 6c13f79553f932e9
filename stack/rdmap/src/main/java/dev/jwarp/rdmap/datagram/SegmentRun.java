package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.Tally;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams of one message that came side by side. The first passes all checks (datagram-iWARP §5) and finds the record of
 * its message. A datagram behind it that differs only in its place in the message passes the same checks, so only the
 * differences are looked at. All checks see any other datagram, the last segment of a message, and the last one missing.
 * Owner thread only; allocates nothing.
 */
final class SegmentRun {
    private static final int TAGGED_OFFSET = 6;
    private static final int QUEUE_OFFSET = 6;
    private static final int MESSAGE_OFFSET = 14;

    private final Tally<DatagramCounter> counters;
    private @Nullable MessageRecord record;
    private int index;

    SegmentRun(Tally<DatagramCounter> counters) {
        this.counters = counters;
    }

    /** A segment was placed that left its message open: the next may follow. Null: there is none. */
    void follow(@Nullable MessageRecord open, int placed) {
        record = open;
        index = placed;
    }

    /** {@return whether the next segment of a message may follow} */
    boolean goesOn() {
        return record != null;
    }

    /** {@return whether the segment at {@code at}, behind that at {@code before}, was placed} */
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

    /** Checks 14 and 16, as far as they are not said by what is the same: not the last, and not placed before. */
    private static boolean admits(MessageRecord open, int next, long nowNanos) {
        return next < open.map.segments() - 1
                && open.map.missing() > 1
                && !open.map.isPlaced(next)
                && open.memoryValid(nowNanos);
    }

    /** Checks 11 to 13, 15 and 18 have passed for what is the same; the offset is one Segment Size further on. */
    private static boolean follows(MessageRecord open, ByteBuffer buffer, int before, int at) {
        int size = open.map.segmentSize();
        if (open.writeRecord()) {
            return buffer.getInt(at) == buffer.getInt(before)
                    && buffer.getInt(at + 2) == buffer.getInt(before + 2)
                    && buffer.getLong(at + TAGGED_OFFSET) == buffer.getLong(before + TAGGED_OFFSET) + size;
        }
        return buffer.getLong(at) == buffer.getLong(before)
                && buffer.getLong(at + QUEUE_OFFSET) == buffer.getLong(before + QUEUE_OFFSET)
                && buffer.getInt(at + MESSAGE_OFFSET) == buffer.getInt(before + MESSAGE_OFFSET) + size;
    }
}
