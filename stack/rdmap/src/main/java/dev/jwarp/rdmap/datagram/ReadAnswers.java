package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.datagram.SegmentShape;
import dev.jwarp.ddp.datagram.ValiditySlab;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.rdmap.datagram.OutstandingReads.OutstandingRead;
import org.jspecify.annotations.Nullable;

/**
 * Processes the responses to our Reads (datagram-iWARP §8). A segment is accepted only with the handle of the request,
 * and placed in any order of arrival. Owner thread only; allocates nothing.
 */
final class ReadAnswers {
    private final EndpointCore core;
    private final InboundSegment in;
    private final OutstandingReads reads;
    private final SendEnds sends;
    private final RecordPool pool;
    private final ValiditySlab slab;

    ReadAnswers(EndpointCore core, InboundSegment in, OutstandingReads reads, SendEnds sends) {
        this.core = core;
        this.in = in;
        this.reads = reads;
        this.sends = sends;
        pool = core.records;
        slab = core.slab;
    }

    /**
     * {@return the extended time limit of a Read whose first limit has passed} datagram-iWARP §8 (DG-8-3).
     * UD: derived from the pace of its response; before the response begins, from the responses to earlier Reads. RD:
     * derived from any response of its peer, because a channel loses nothing and the peer answers one Read after the
     * other.
     */
    long comesUntil(OutstandingRead read) {
        DatagramOperation op = read.operation;
        MessageRecord record = read.record;
        if (op == null || op.deadlineNanos() > 0) {
            return Long.MIN_VALUE;
        }
        long idleNanos = core.settings.get(DatagramLimit.IDLE_NANOS);
        long readNanos = core.settings.get(DatagramLimit.READ_NANOS);
        if (in.reliable) {
            long last = op.destination().answeredAt;
            return last == DatagramDestination.NEVER ? last : last + readNanos;
        }
        if (record != null) {
            long seen = Math.min(
                    record.pace.nextBy(record.map, idleNanos), record.pace.wholeBy(record.map, Long.MIN_VALUE));
            return Math.max(seen, record.pace.beginsBy(record.map, readNanos));
        }
        DatagramDestination to = op.destination();
        // If a later Read has been answered, this one is lost.
        boolean next = to.answeredAt != DatagramDestination.NEVER && read.messageId - to.newestAnswered > 0;
        return next ? Math.min(to.answeredAt + readNanos, ArrivalPace.longest(read.askedAt)) : Long.MIN_VALUE;
    }

    /** {@return whether a reply matches an outstanding Read} Check 9. */
    boolean asked(ReceivedDatagram reply) {
        OutstandingRead read = reads.find(reply.shim().messageId());
        DatagramOperation op = read == null ? null : read.operation;
        return op != null && RecentSends.matches(op.destination().peer(), reply);
    }

    /** Processes a segment of a Read Response. */
    SegmentFate take() {
        OutstandingRead read = reads.find(in.shim().messageId());
        DatagramOperation op = read == null ? null : read.operation;
        // datagram-iWARP §8 (DG-8-7), §11 (DG-11-1): a response to no Read, or to an ended Read.
        if (read == null || op == null || !matches(read, op)) {
            return in.dropped(DatagramCounter.RX_REPLY_UNMATCHED);
        }
        answered(op.destination(), read.messageId);
        if (!op.memory().valid()) {
            sends.readEnded(read, OperationStatus.LOC_PROT_ERR);
            return in.dropped(DatagramCounter.RX_REPLY_UNMATCHED);
        }
        if (in.shape.count() == 1 && read.record == null) {
            place(op);
            SegmentFate fate = in.accepted();
            sends.readEnded(read, OperationStatus.SUCCESS);
            return fate;
        }
        MessageRecord record = read.record == null ? open(read, op) : read.record;
        if (record == null) {
            return in.notReady(DatagramCounter.RECORD_FULL);
        }
        SegmentShape shape = in.shape;
        if (record.map.segmentSize() != shape.segmentSize() || record.map.segments() != shape.count()) {
            return in.refused(Refusal.SEG_CONFLICT);
        }
        if (record.map.isPlaced(shape.index())) {
            return in.refused(Refusal.DUP_SEGMENT);
        }
        place(op);
        record.map.place(shape.index());
        record.pace.came(in.now);
        SegmentFate fate = in.accepted();
        if (record.map.isComplete()) {
            sends.readEnded(read, OperationStatus.SUCCESS);
        }
        return fate;
    }

    private void answered(DatagramDestination to, int messageId) {
        if (to.answeredAt == DatagramDestination.NEVER || messageId - to.newestAnswered > 0) {
            to.newestAnswered = messageId;
        }
        to.answeredAt = in.now;
    }

    /** §8 (DG-5.5-1, DG-8-5): peer, handle, range and size must match the request. */
    private boolean matches(OutstandingRead read, DatagramOperation op) {
        DatagramPeer peer = op.destination().peer();
        boolean asked = in.reliable
                ? peer.queuePairNumber() == in.shim().sourceQpn()
                        && peer.address().equals(in.source())
                : RecentSends.matches(peer, in.datagram());
        return asked
                && in.segment.stag() == op.handle
                && in.segment.taggedOffset() - in.shape.offset() == op.handleOffset
                && in.shape.messageLength() == read.size;
    }

    private @Nullable MessageRecord open(OutstandingRead read, DatagramOperation op) {
        MessageRecord record = pool.take();
        if (record == null) {
            return null;
        }
        if (!record.map.open(slab, in.shape.messageLength(), in.shape.segmentSize())) {
            pool.give(record);
            return null;
        }
        record.pace.begin(in.now);
        record.about(in.datagram(), in.opcode);
        record.stag = op.remoteSTag();
        record.baseOffset = op.remoteOffset();
        // Not OPEN, because the record is not in the table of messages and ends with its Read.
        record.state = MessageRecord.State.ENDED;
        read.record = record;
        return record;
    }

    /** Places the segment, in any order of arrival (DG-8-6). */
    private void place(DatagramOperation op) {
        op.memory().place(in.shape.offset(), in.buffer(), in.payloadAt(), in.shape.payload());
    }
}
