package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.datagram.ReceivedDatagram;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.message.RdmapOpcode;
import org.jspecify.annotations.Nullable;

/**
 * Makes checks 11 to 16 of datagram-iWARP §5, which do not depend on memory, then dispatches the segment by its opcode.
 * Owner thread only; allocates nothing.
 */
final class InboundSegments {
    private static final int OPCODE_MASK = 0x0F;
    private static final int RDMA_WRITE = RdmapOpcode.RDMA_WRITE.code();
    private static final int READ_REQUEST = RdmapOpcode.RDMA_READ_REQUEST.code();
    private static final int READ_RESPONSE = RdmapOpcode.RDMA_READ_RESPONSE.code();
    private static final int SEND = RdmapOpcode.SEND.code();
    private static final int SEND_WITH_SE = RdmapOpcode.SEND_WITH_SE.code();

    private final InboundSegment in;
    private final int queuePairNumber;
    private final long maximumMessage;
    private final long maximumGroupMessage;
    private final KeyedHash hash;
    private final Records records;
    private final MessageEnds messages;
    private final InboundSends sends;
    private final InboundWrites writes;
    private final InboundReads reads;
    private final ReadAnswers answers;

    /** The objects that process segments which passed the checks. */
    record Takers(InboundSends sends, InboundWrites writes, InboundReads reads, ReadAnswers answers) {}

    InboundSegments(
            EndpointCore core,
            InboundSegment in,
            KeyedHash hash,
            Records records,
            MessageEnds messages,
            Takers takers) {
        this.in = in;
        queuePairNumber = core.queuePairNumber;
        maximumMessage = core.settings.longestMessage(false);
        maximumGroupMessage = core.settings.longestMessage(true);
        this.hash = hash;
        this.records = records;
        this.messages = messages;
        sends = takers.sends;
        writes = takers.writes;
        reads = takers.reads;
        answers = takers.answers;
    }

    /** Processes the segment that {@code in} describes. */
    SegmentFate take() {
        Refusal refusal = header();
        if (refusal != null) {
            return in.refused(refusal);
        }
        if (in.opcode == READ_RESPONSE) {
            return answers.take();
        }
        refusal = tooLong();
        if (refusal != null) {
            return in.refused(refusal);
        }
        // An RDMA Write (DG-7-9) has no record: its datagrams come once and in order.
        return in.opcode == RDMA_WRITE ? writes.plain() : message();
    }

    /** Checks 11 to 14. */
    private @Nullable Refusal header() {
        DdpSegment segment = in.segment;
        Shim shim = in.shim();
        ReceivedDatagram datagram = in.datagram();
        TerminateCode malformed = segment.parse(datagram.buffer(), datagram.offset(), datagram.length());
        // Check 11 (DG-5.2-1). RFC 5041 §7.1, §7.2: DV; RFC 5040 §7.2: RV.
        if (malformed == TerminateCode.DDP_TAGGED_VERSION) {
            return Refusal.DDP_VERSION_TAGGED;
        }
        if (malformed == TerminateCode.DDP_UNTAGGED_VERSION) {
            return Refusal.DDP_VERSION_UNTAGGED;
        }
        if (malformed != null) {
            return Refusal.SEG_SHAPE;
        }
        if (!RdmapOpcode.versionMatches(segment.ulpControl())) {
            return Refusal.RDMAP_VERSION;
        }
        // Check 12. datagram-iWARP §4.6 (DG-4.6-1): the opcode is known and matches T (DG-5.2-3); R is set exactly in
        // Read Responses (DG-4.2-8). Reserved bits and RsvdULP are ignored (DG-4.5-7).
        in.opcode = segment.ulpControl() & OPCODE_MASK;
        if (!expected(in.opcode, segment.tagged(), shim, in.reliable)) {
            return Refusal.RDMAP_OPCODE;
        }
        if (!segment.tagged()) {
            // Check 13. datagram-iWARP §4.5 (DG-5.2-3): shim and DDP header must agree.
            int queue = in.opcode == READ_REQUEST ? RdmapOpcode.REQUEST_QUEUE : RdmapOpcode.SEND_QUEUE;
            if (segment.queueNumber() != queue) {
                return Refusal.DDP_QN;
            }
            long offsetInMessage = (long) shim.segmentIndex() * shim.segmentSize();
            if (segment.messageSequenceNumber() != shim.messageId() || segment.messageOffset() != offsetInMessage) {
                return Refusal.DDP_MO;
            }
        }
        // Check 14. datagram-iWARP §4.5 (DG-4.5-2).
        return in.shape.received(shim, segment.last(), segment.payloadLength()) ? null : Refusal.SEG_SHAPE;
    }

    private static boolean expected(int opcode, boolean tagged, Shim shim, boolean reliable) {
        if (shim.reply() != (opcode == READ_RESPONSE)) {
            return false;
        }
        if (opcode == SEND || opcode == SEND_WITH_SE) {
            return !tagged;
        }
        if (opcode == RdmapOpcode.WRITE_RECORD) {
            return tagged;
        }
        // datagram-iWARP §G.4 (DG-G.4-3): a group accepts only the opcodes above.
        if (shim.group()) {
            return false;
        }
        if (opcode == READ_REQUEST) {
            return !tagged;
        }
        // An RDMA Write needs RD (DG-4.6-1).
        return tagged && (opcode == READ_RESPONSE || (opcode == RDMA_WRITE && reliable));
    }

    /** Check 15 (DG-5.2-6); groups have their own limit (DG-G.4-3). */
    private @Nullable Refusal tooLong() {
        long limit = in.shim().group() ? maximumGroupMessage : maximumMessage;
        if (in.shim().messageLength() <= limit) {
            return null;
        }
        return in.opcode == SEND || in.opcode == SEND_WITH_SE ? Refusal.SEND_TOO_LONG : Refusal.TOO_LONG;
    }

    /** Check 16, then the checks of memory. */
    private SegmentFate message() {
        Shim shim = in.shim();
        in.hash = hash.message(queuePairNumber, in.source(), shim.sourceQpn(), shim.messageId());
        MessageRecord record = records.size() == 0 ? null : records.find(in);
        if (record != null) {
            return goesOn(record);
        }
        // datagram-iWARP §5.3 (DG-5.3-1, DG-7-8, DG-8-8): late segments of an ended message are dropped.
        if (messages.ended(in.shape.count() == 1, in.hash, in.now)) {
            return in.dropped(DatagramCounter.LATE);
        }
        if (in.opcode == READ_REQUEST) {
            return reads.take();
        }
        return in.opcode == RdmapOpcode.WRITE_RECORD ? writes.record() : sends.take();
    }

    /** Check 16: the segment agrees with earlier segments (DG-5.2-7) and was not placed before (DG-7-7). */
    private SegmentFate goesOn(MessageRecord record) {
        if (record.opcode != in.opcode
                || record.length != in.shape.messageLength()
                || record.map.segmentSize() != in.shape.segmentSize()
                || record.map.segments() != in.shape.count()
                || !sameTarget(record)) {
            return in.refused(Refusal.SEG_CONFLICT);
        }
        if (record.map.isPlaced(in.shape.index())) {
            return in.refused(Refusal.DUP_SEGMENT);
        }
        if (!record.memoryValid(in.now)) {
            records.abort(record, in.now);
            return in.dropped(DatagramCounter.LATE);
        }
        return records.place(record, in);
    }

    private boolean sameTarget(MessageRecord record) {
        return !record.writeRecord()
                || (record.stag == in.segment.stag()
                        && record.baseOffset == in.segment.taggedOffset() - in.shape.offset());
    }
}
