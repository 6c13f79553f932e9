package dev.jwarp.rdmap;

import dev.jwarp.ddp.Segmenter;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedHeader;
import dev.jwarp.ddp.UntaggedQueue;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.ImmediateDataHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;

/**
 * Turns send queue operations into segments, one message at a time: headers, sequence numbers, payload (RFC 5040 §5,
 * RFC 5041 §5.2, RFC 7306 §5, §6). Reused; owner thread only; allocates nothing.
 */
final class MessageWriter {
    private final OutstandingRequests outstanding;
    private final Segmenter segmenter = new Segmenter();
    private final ReadRequestHeader readRequest = new ReadRequestHeader();
    private final AtomicRequestHeader atomicRequest = new AtomicRequestHeader();

    // RFC 5041 §4.3, DDP-4.3-1, DDP-4.3-2: each queue numbers its messages from 1.
    private int sendMsn = UntaggedQueue.FIRST_MSN;
    private int requestMsn = UntaggedQueue.FIRST_MSN;
    private int atomicIdentifier;

    MessageWriter(OutstandingRequests outstanding) {
        this.outstanding = outstanding;
    }

    /** For tests near the wrap: the next message of each queue has this number. */
    void startAt(int messageSequenceNumber) {
        sendMsn = messageSequenceNumber;
        requestMsn = messageSequenceNumber;
    }

    /**
     * Writes the ready-to-receive message, which has length 0, precedes all others (RFC 6581 §9.2) and belongs to no
     * operation.
     */
    void readyToReceive(UlpduWriter out, ReadyToReceive message) {
        switch (message) {
            case NONE -> throw new IllegalArgumentException("There is no such message");
            case SEND -> UlpduSegments.single(out, RdmapOpcode.SEND, sendMsn++, 0);
            // RFC 5041 §5.2, RFC 5040 §5.2.1: the receiver ignores the STags of messages of length 0.
            case WRITE -> UlpduSegments.tagged(out, RdmapOpcode.RDMA_WRITE, true, 1, 0, 0);
            case READ -> {
                outstanding.addRead(null, 0, 0, 0);
                readRequest(out, requestMsn++).sink(0, 0).size(0).source(1, 0);
            }
        }
        out.end();
    }

    /** Begins the message of an operation; {@link #next} writes the segments. */
    void begin(SendOperation op) {
        Kind kind = op.kind();
        // no switch here: CONTRIBUTING, "The data path"
        if (kind == Kind.SEND || kind == Kind.SEND_WITH_INVALIDATE) {
            segmenter.begin(op.memory().length(), UntaggedHeader.LENGTH);
            op.messageSequenceNumber = sendMsn++;
        } else if (kind == Kind.RDMA_WRITE) {
            segmenter.begin(op.memory().length(), TaggedHeader.LENGTH);
        } else if (kind == Kind.RDMA_WRITE_WITH_IMMEDIATE) {
            segmenter.begin(op.memory().length(), TaggedHeader.LENGTH);
            op.messageSequenceNumber = sendMsn++;
        } else if (kind == Kind.IMMEDIATE_DATA) {
            op.messageSequenceNumber = sendMsn++;
        } else {
            op.messageSequenceNumber = requestMsn++; // EXT-5.2.1-1: Reads and Atomics share queue 1.
        }
    }

    /**
     * Writes the next segment.
     *
     * @return whether it was the last of the operation
     */
    boolean next(UlpduWriter out, SendOperation op) {
        boolean last;
        Kind kind = op.kind();
        if (kind == Kind.SEND || kind == Kind.SEND_WITH_INVALIDATE) {
            last = send(out, op);
        } else if (kind == Kind.RDMA_WRITE) {
            last = write(out, op);
        } else {
            last = other(out, op);
        }
        out.end();
        return last;
    }

    private boolean other(UlpduWriter out, SendOperation op) {
        boolean last = true;
        switch (op.kind()) {
            case RDMA_WRITE_WITH_IMMEDIATE -> {
                // RFC 7306 §6, EXT-6.4-1: an RDMA Write, then Immediate Data.
                if (segmenter.hasNext()) {
                    write(out, op);
                    last = false;
                } else {
                    immediateData(out, op);
                }
            }
            case IMMEDIATE_DATA -> immediateData(out, op);
            case RDMA_READ, RDMA_READ_WITH_LOCAL_INVALIDATE -> read(out, op);
            case ATOMIC_FETCH_AND_ADD, ATOMIC_COMPARE_AND_SWAP -> atomic(out, op);
            default -> throw new IllegalArgumentException(op.kind() + " has no message");
        }
        return last;
    }

    private boolean send(UlpduWriter out, SendOperation op) {
        int length = segmenter.next(out.mulpdu(segmenter.rest()));
        RdmapOpcode opcode;
        if (op.kind() == Kind.SEND) {
            opcode = op.solicited() ? RdmapOpcode.SEND_WITH_SE : RdmapOpcode.SEND;
        } else {
            opcode = op.solicited() ? RdmapOpcode.SEND_WITH_SE_AND_INVALIDATE : RdmapOpcode.SEND_WITH_INVALIDATE;
        }
        // RFC 5040 §4.1, RDMAP-4.1-3, RDMAP-5.3-7: opcodes without an Invalidate STag send zero.
        int invalidate = opcode.invalidates() ? op.invalidateSTag() : 0;
        boolean last = segmenter.last();
        int header = UlpduSegments.untagged(out, opcode, last, op.messageSequenceNumber, length);
        UntaggedHeader.writeRest(out.buffer(), header, invalidate, segmenter.offset());
        op.memory().write(out, segmenter.offset(), length);
        return last;
    }

    private boolean write(UlpduWriter out, SendOperation op) {
        int length = segmenter.next(out.mulpdu(segmenter.rest()));
        boolean last = segmenter.last();
        long taggedOffset = op.remoteOffset() + segmenter.offset();
        UlpduSegments.tagged(out, RdmapOpcode.RDMA_WRITE, last, op.remoteSTag(), taggedOffset, length);
        op.memory().write(out, segmenter.offset(), length);
        return last;
    }

    private void immediateData(UlpduWriter out, SendOperation op) {
        RdmapOpcode opcode = op.solicited() ? RdmapOpcode.IMMEDIATE_DATA_WITH_SE : RdmapOpcode.IMMEDIATE_DATA;
        // EXT-6.3-1, EXT-4.1-2: 8 bytes, on the queue of the Sends.
        int at = UlpduSegments.single(out, opcode, op.messageSequenceNumber, ImmediateDataHeader.LENGTH);
        ImmediateDataHeader.data(out.buffer(), at, op.immediate());
    }

    private void read(UlpduWriter out, SendOperation op) {
        int sinkSTag = 0;
        long sinkOffset = 0;
        TaggedBuffer sink = op.memory().size() == 0 ? null : op.memory().buffer(0);
        if (sink != null) {
            sinkSTag = sink.stag();
            sinkOffset = op.memory().taggedOffset(0);
        }
        long size = op.memory().length();
        outstanding.addRead(op, sinkSTag, sinkOffset, size);
        // RDMAP-4.4-1
        readRequest(out, op.messageSequenceNumber)
                .sink(sinkSTag, sinkOffset)
                .size(size)
                .source(op.remoteSTag(), op.remoteOffset());
    }

    /** Begins a Read Request; the caller fills it in. */
    private ReadRequestHeader readRequest(UlpduWriter out, int msn) {
        int at = UlpduSegments.single(out, RdmapOpcode.RDMA_READ_REQUEST, msn, ReadRequestHeader.LENGTH);
        readRequest.wrap(out.buffer(), at, ReadRequestHeader.LENGTH);
        return readRequest;
    }

    private void atomic(UlpduWriter out, SendOperation op) {
        int identifier = ++atomicIdentifier;
        outstanding.addAtomic(op, identifier);
        int at = UlpduSegments.single(
                out, RdmapOpcode.ATOMIC_REQUEST, op.messageSequenceNumber, AtomicRequestHeader.LENGTH);
        boolean add = op.kind() == Kind.ATOMIC_FETCH_AND_ADD;
        atomicRequest.wrap(out.buffer(), at, AtomicRequestHeader.LENGTH);
        atomicRequest
                .operation(add ? AtomicRequestHeader.FETCH_ADD : AtomicRequestHeader.COMPARE_SWAP, identifier)
                .remote(op.remoteSTag(), op.remoteOffset())
                .data(op.operand(), op.operandMask())
                .compare(op.compare(), op.compareMask());
    }
}
