package dev.jwarp.rdmap;

import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.ReadRequestHeader;
import dev.jwarp.rdmap.message.TerminateMessage;
import java.nio.ByteBuffer;

/** Our segment that the peer quotes in its Terminate; finds the operation that sent it (RFC 5040 §4.8). */
final class QuotedSegment {
    private final DdpSegment header = new DdpSegment();
    private final TerminateMessage message;
    private final boolean present;

    QuotedSegment(TerminateMessage message) {
        this.message = message;
        ByteBuffer quoted = message.ddpHeader();
        present = quoted.capacity() > 0;
        header.parse(quoted, 0, quoted.capacity());
    }

    /** {@return whether this operation sent the segment} */
    boolean belongsTo(SendOperation op) {
        if (!present) {
            return false;
        }
        return header.tagged() ? taggedBelongsTo(op) : untaggedBelongsTo(op);
    }

    private boolean taggedBelongsTo(SendOperation op) {
        boolean write = op.kind() == Kind.RDMA_WRITE || op.kind() == Kind.RDMA_WRITE_WITH_IMMEDIATE;
        long distance = header.taggedOffset() - op.remoteOffset();
        return write
                && RdmapOpcode.of(header.ulpControl()) == RdmapOpcode.RDMA_WRITE
                && header.stag() == op.remoteSTag()
                && Long.compareUnsigned(distance, op.memory().length()) <= 0;
    }

    private boolean untaggedBelongsTo(SendOperation op) {
        boolean request = op.kind().awaitsResponse();
        boolean sends = op.kind() != Kind.RDMA_WRITE && op.kind().sends();
        if (!sends || header.queueNumber() != (request ? RdmapOpcode.REQUEST_QUEUE : RdmapOpcode.SEND_QUEUE)) {
            return false;
        }
        ByteBuffer readRequest = message.readRequest();
        if (message.layout() == TerminateMessage.Layout.SIW_LITTLE_ENDIAN && readRequest.capacity() > 0) {
            // siw rebuilds the DDP header without the sequence number, so the sink of the Read identifies the
            // operation.
            TaggedBuffer sink = op.memory().size() == 0 ? null : op.memory().buffer(0);
            return sink != null && sink.stag() == readRequest.getInt(ReadRequestHeader.SINK_STAG_OFFSET);
        }
        return header.messageSequenceNumber() == op.messageSequenceNumber;
    }
}
