package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.AccessFault;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.llp.datagram.AddressProof;
import dev.jwarp.llp.datagram.SegmentFate;
import dev.jwarp.rdmap.message.ReadRequestHeader;

/** Check 19 of datagram-iWARP §5: the Read Requests of peers. Owner thread only; allocates nothing. */
final class InboundReads {
    private final InboundSegment in;
    private final TaggedAccess memory;
    private final MessageEnds messages;
    private final ReadJobs jobs;
    private final long maximumRead;
    private final ReadRequestHeader request = new ReadRequestHeader();

    InboundReads(EndpointCore core, InboundSegment in, TaggedAccess memory, MessageEnds messages, ReadJobs jobs) {
        this.in = in;
        this.memory = memory;
        this.messages = messages;
        this.jobs = jobs;
        maximumRead = core.settings.get(DatagramLimit.MAX_READ);
    }

    /** Processes a Read Request. */
    SegmentFate take() {
        // RFC 5040 §4.4 (DG-5.2-15): a Read Request has exactly this size; datagram-iWARP §8: and one datagram.
        if (in.shape.count() != 1
                || in.shape.messageLength() != ReadRequestHeader.LENGTH
                || !request.wrap(in.buffer(), in.payloadAt(), in.shape.payload())) {
            return in.refused(Refusal.READ_MALFORMED);
        }
        // datagram-iWARP §9 (DG-9.1-1): this request itself has to prove its source, because an earlier proof
        // does not show that this request is not forged. Only Reads need such a proof (DG-9.1-4).
        if (!in.reliable && in.proof != AddressProof.DATAGRAM) {
            in.dropped(DatagramCounter.READ_CHALLENGED);
            return SegmentFate.CHALLENGE;
        }
        long size = request.size();
        // Check 19 (DG-5.2-15).
        if (size > maximumRead) {
            return in.refused(Refusal.READ_TOO_LONG);
        }
        // RFC 5040 §5.2.1 (DG-4.6-3): a Read of 0 bytes is answered unchecked.
        if (size != 0) {
            // Check 19 (RFC 5040 §7.2; DG-5.2-15).
            AccessFault fault =
                    memory.admit(request.sourceSTag(), request.sourceOffset(), size, Access.REMOTE_READ, in);
            if (fault != null) {
                return in.refused(Refusal.ofRead(fault));
            }
        }
        ReadJob job = jobs.begin(in.datagram(), size, in.now);
        // datagram-iWARP §13 (DG-13-3): a reliable channel offers the request again.
        if (job == null) {
            return in.reliable ? in.notReady(DatagramCounter.READ_BUSY) : in.refused(Refusal.READ_BUSY);
        }
        job.sinkSTag = request.sinkSTag();
        job.sinkOffset = request.sinkOffset();
        if (size != 0) {
            job.region = memory.buffer();
            job.position = memory.position();
        }
        jobs.start(job);
        // datagram-iWARP §5.3 (DG-8-8): a duplicate of the request counts as late.
        messages.enter(true, in.hash, in.now);
        return in.accepted();
    }
}
