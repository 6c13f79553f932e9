package dev.jwarp.rdmap.datagram;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.ddp.datagram.SegmentShape;
import dev.jwarp.llp.datagram.DatagramPeer;
import dev.jwarp.llp.datagram.SegmentWriter;
import dev.jwarp.llp.datagram.Shim;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import dev.jwarp.rdmap.datagram.OutstandingReads.OutstandingRead;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.work.ScatterList;
import java.nio.ByteBuffer;

/**
 * Writes segments. A segment depends only on its index, so a repeated segment is identical to the first (datagram-iWARP
 * §4, DG-4.5-9, DG-11.3-1). Owner thread only; allocates nothing.
 */
final class OutboundSegments {
    private final int queuePairNumber;
    private final boolean reliable;
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final ByteBuffer request = ByteBuffer.allocateDirect(ReadRequestHeader.LENGTH);
    private final Shim shim = new Shim();

    OutboundSegments(EndpointCore core) {
        queuePairNumber = core.queuePairNumber;
        reliable = core.reliable;
        readRequest.wrap(request, 0, ReadRequestHeader.LENGTH);
    }

    /**
     * Segments the message of an operation for its path.
     *
     * @return false if it would take more segments than can be numbered
     */
    boolean cut(SegmentWriter out, DatagramOperation op) {
        long length = op.kind() == Kind.RDMA_READ
                ? ReadRequestHeader.LENGTH
                : op.memory().length();
        int header = op.kind().tagged() ? TaggedHeader.LENGTH : UntaggedHeader.LENGTH;
        int size = out.segmentSize(op.destination().peer(), header, false);
        long segments = SegmentShape.count(length, size);
        op.segmentSize = size(length, segments, size);
        op.segments = (int) segments;
        return canBeNumbered(segments, size);
    }

    /** Writes a segment of an operation. */
    void write(SegmentWriter out, DatagramOperation op, int index, long nowNanos) {
        if (op.kind() == Kind.RDMA_READ) {
            request(out, op, nowNanos);
            return;
        }
        DatagramDestination to = op.destination();
        long length = op.memory().length();
        long offset = (long) index * op.segmentSize;
        int payload = (int) Math.min(op.segmentSize, length - offset);
        boolean last = index == op.segments - 1;
        // datagram-iWARP §4.3 (DG-4.3-2): the Key of the destination, or of the group with flag G (DG-G.3-1).
        shim.addressed(to.peer().queuePairNumber(), queuePairNumber, to.peer().key())
                .message(op.messageId, length)
                .segment(index, op.segmentSize)
                .flags(false, reliable, to.group(), last && op.padded);
        if (op.kind().tagged()) {
            int at = out.begin(to.peer(), shim, false, TaggedHeader.LENGTH, payload);
            int control = RdmapOpcode.controlOctet(op.opcode());
            TaggedHeader.write(out.buffer(), at, last, control, op.remoteSTag(), op.remoteOffset() + offset);
        } else {
            int at = out.begin(to.peer(), shim, false, UntaggedHeader.LENGTH, payload);
            untagged(out.buffer(), at, op, last, RdmapOpcode.SEND_QUEUE, offset);
        }
        op.memory().write(out, offset, payload);
        out.end(op);
    }

    /**
     * {@return false if the lower layer does not permit it; then nothing is written} Appends the segment after the last
     * one written; neither may be the last of its message.
     */
    boolean writeNext(SegmentWriter out, DatagramOperation op, int index) {
        if (!out.beginNext()) {
            return false;
        }
        op.memory().write(out, (long) index * op.segmentSize, op.segmentSize);
        out.end(op);
        return true;
    }

    private void request(SegmentWriter out, DatagramOperation op, long nowNanos) {
        DatagramPeer peer = op.destination().peer();
        shim.addressed(peer.queuePairNumber(), queuePairNumber, peer.key())
                .message(op.messageId, ReadRequestHeader.LENGTH)
                .segment(0, ReadRequestHeader.LENGTH)
                .flags(false, reliable, false, false);
        // datagram-iWARP §9 (DG-9.2-3): after a CHALLENGE all requests carry the cookie.
        boolean cookie = !reliable && peer.hasCookie(nowNanos);
        OutstandingRead read = op.read;
        if (read != null) {
            read.asked(cookie ? peer : null);
        }
        int at = out.begin(peer, shim, cookie, UntaggedHeader.LENGTH, ReadRequestHeader.LENGTH);
        untagged(out.buffer(), at, op, true, RdmapOpcode.REQUEST_QUEUE, 0);
        // Taken from the operation, because a reliable channel may repeat the request of an ended Read.
        readRequest
                .sink(op.handle, op.handleOffset)
                .size(op.memory().length())
                .source(op.remoteSTag(), op.remoteOffset());
        out.payload(request, 0, ReadRequestHeader.LENGTH, false);
        out.end(op);
    }

    /**
     * Segments a Read Response for its path.
     *
     * @return false if it would take more segments than can be numbered
     */
    boolean cut(SegmentWriter out, ReadJob job) {
        int size = out.segmentSize(job.turnOf(), TaggedHeader.LENGTH, false);
        long segments = SegmentShape.count(job.size, size);
        job.segmentSize = size(job.size, segments, size);
        job.segments = (int) segments;
        return canBeNumbered(segments, size);
    }

    /** {@return the Segment Size of a message of {@code segments} segments of at most {@code most} bytes} */
    private static int size(long length, long segments, int most) {
        if (segments == 1) {
            return (int) length; // datagram-iWARP §4.5 (DG-4.5-1, DG-4.6-3)
        }
        // If the last segment is nearly full, all segments get the same length, so that no padding is needed.
        return padPays(length, segments, most) ? Math.min(most, SegmentShape.even(length, segments)) : most;
    }

    private static boolean canBeNumbered(long segments, int size) {
        return segments <= SegmentShape.MOST_SEGMENTS && (segments == 1 || size >= SegmentShape.SMALLEST_SIZE);
    }

    /** Writes a segment of a Read Response. */
    void write(SegmentWriter out, ReadJob job, int index) {
        long offset = (long) index * job.segmentSize;
        int payload = (int) Math.min(job.segmentSize, job.size - offset);
        boolean last = index == job.segments - 1;
        Shim question = job.question;
        // datagram-iWARP §4.2 (DG-4.2-2): the queue pairs are swapped; Key and Message Id are those
        // of the request. R marks a Read Response (DG-4.2-8, DG-8-1), D a datagram of a reliable channel (DG-11.5-3).
        shim.addressed(question.sourceQpn(), question.destinationQpn(), question.key())
                .message(question.messageId(), job.size)
                .segment(index, job.segmentSize)
                .flags(true, reliable, false, last && job.padded);
        int at = out.begin(job.turnOf(), shim, false, TaggedHeader.LENGTH, payload);
        int control = RdmapOpcode.RDMA_READ_RESPONSE.controlOctet();
        // RFC 5040 §4.4 (DG-8-1): sink STag and TO are copied from the request unchanged.
        TaggedHeader.write(out.buffer(), at, last, control, job.sinkSTag, job.sinkOffset + offset);
        TaggedBuffer region = job.region;
        if (payload > 0 && region != null) {
            ScatterList.write(out, region, job.position + offset, payload);
        }
        out.end(reliable ? job : null);
    }

    /** Writes the DDP header of an untagged segment. */
    private static void untagged(
            ByteBuffer memory, int at, DatagramOperation op, boolean last, int queueNumber, long offset) {
        // datagram-iWARP §4.5 (DG-4.5-1): MSN = Message Id, MO = off; the word of the layer above is 0.
        int control = RdmapOpcode.controlOctet(op.opcode());
        UntaggedHeader.write(memory, at, last, control, queueNumber, op.messageId);
        UntaggedHeader.writeRest(memory, at, 0, offset);
    }

    /**
     * {@return whether to pad the last segment of a message to the length of the others if more messages follow} A
     * shorter segment ends the batch that one system call sends or receives. datagram-iWARP §4.5: at most a
     * quarter.
     */
    static boolean padPays(long length, long segments, int size) {
        long pad = segments * size - length;
        return segments > 1 && pad <= Math.max(size / 4, length / 8);
    }
}
