package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.AccessFault;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.datagram.SegmentFate;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Check 18 of datagram-iWARP §5: RDMA Writes and Write-Records of peers. Owner thread only; allocates nothing. */
final class InboundWrites {
    private final InboundSegment in;
    private final TaggedAccess memory;
    private final Records records;
    private final MessageEnds messages;
    private final RecordLog log;
    private final RecordPool pool;

    InboundWrites(
            EndpointCore core,
            InboundSegment in,
            TaggedAccess memory,
            Records records,
            MessageEnds messages,
            RecordLog log) {
        this.in = in;
        this.memory = memory;
        this.records = records;
        this.messages = messages;
        this.log = log;
        pool = core.records;
    }

    /** A segment of an RDMA Write, which is only placed. */
    SegmentFate plain() {
        // RFC 5041 §5.2 (DG-4.6-3): STag and TO of a zero-length message are not checked.
        if (in.shape.messageLength() != 0) {
            Refusal refusal = check(Access.REMOTE_WRITE);
            if (refusal != null) {
                return in.refused(refusal);
            }
            int bytes = in.shape.payload();
            if (bytes > 0) { // within the checked range of the whole message (DG-5.2-19)
                TaggedBuffer region = Objects.requireNonNull(memory.buffer());
                region.put(region.position(in.segment.taggedOffset()), in.buffer(), in.payloadAt(), bytes);
            }
        }
        return in.accepted();
    }

    /** The first segment of a Write-Record to arrive. */
    SegmentFate record() {
        // Even for length 0 (DG-4.6-3), so that strangers cannot fill completion queues without knowing an STag. Writes
        // to a group may only access group regions (DG-G.4-4).
        Refusal refusal = check(in.shim().group() ? Access.RECORD | Access.GROUP : Access.RECORD);
        if (refusal != null) {
            return in.refused(refusal);
        }
        if (log.full()) {
            return noRoom(true, false);
        }
        boolean single = in.shape.count() == 1;
        TaggedBuffer region = Objects.requireNonNull(memory.buffer());
        MessageRecord record = single ? pool.take() : records.open(in, false);
        if (record == null) {
            return noRoom(pool.exhausted(), true);
        }
        record.region = region;
        record.stag = in.segment.stag();
        record.baseOffset = in.segment.taggedOffset() - in.shape.offset();
        if (!single) {
            return records.place(record, in);
        }
        record.about(in.datagram(), in.opcode);
        record.state = MessageRecord.State.ENDED;
        record.map.whole(record.length);
        boolean placed = false;
        try {
            record.place(0, in.buffer(), in.payloadAt(), in.shape.payload());
            placed = true;
        } finally {
            if (!placed) {
                pool.give(record); // its memory is deregistered
            }
        }
        messages.enter(true, in.hash, in.now);
        SegmentFate fate = in.accepted();
        log.tell(record);
        return fate;
    }

    private SegmentFate noRoom(boolean tell, boolean unreleased) {
        if (tell && !in.reliable) {
            log.dropped(in.datagram(), unreleased, in.now);
        }
        return in.notReady(DatagramCounter.RECORD_FULL);
    }

    /**
     * Check 18, for the range of the whole message, whichever segment arrives first. The check of wrap-around also
     * finds a base TO − off below 0: the message is longer than off, so its end then lies beyond 2^64.
     */
    private @Nullable Refusal check(int rights) {
        long base = in.segment.taggedOffset() - in.shape.offset();
        AccessFault fault = memory.admit(in.segment.stag(), base, in.shape.messageLength(), rights, in);
        return fault == null ? null : Refusal.ofWrite(fault);
    }
}
