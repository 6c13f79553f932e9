package dev.jwarp.rdmap;

import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.STagTable;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.UntaggedBufferSource;
import dev.jwarp.ddp.UntaggedQueue;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving end of Sends and Immediate Data: fills posted receives and completes them in order (RFC 5040 §5.3, RFC 7306
 * §6). Owner thread only; allocates nothing.
 */
final class PostedReceives implements UntaggedBufferSource<ReceiveOperation> {
    private final STagTable table;
    private final StreamDomain domain;
    private final TaggedAccess access;
    private final ReceiveSource source;
    private final StreamListener listener;
    private final RdmapCounters counters;
    private final UntaggedQueue<ReceiveOperation> queue;
    private final ReceiveDetails details = new ReceiveDetails();

    /** The status of the receive that was being filled when the stream failed. */
    private OperationStatus failure = OperationStatus.WR_FLUSH_ERR;

    PostedReceives(
            STagTable table,
            StreamDomain domain,
            TaggedAccess access,
            ReceiveSource source,
            StreamListener listener,
            RdmapCounters counters) {
        this.table = table;
        this.domain = domain;
        this.access = access;
        this.source = source;
        this.listener = listener;
        this.counters = counters;
        queue = UntaggedQueue.ordered(this);
    }

    /** For tests near the wrap: the next message has this number. */
    void startAt(int messageSequenceNumber) {
        queue.startAt(messageSequenceNumber);
    }

    /** {@return the next receive that the program has posted, or null} */
    @Override
    public @Nullable ReceiveOperation take() {
        return source.take();
    }

    /** Places one segment of queue 0, and delivers the message if it is complete. */
    @Nullable
    TerminateCode take(DdpSegment segment, ByteBuffer ulpdu) {
        TerminateCode refusal = queue.place(segment, ulpdu, Integer.MAX_VALUE);
        if (refusal != null) {
            if (refusal == TerminateCode.DDP_MESSAGE_TOO_LONG) {
                failure = OperationStatus.LOC_LEN_ERR;
            }
            return refusal;
        }
        return queue.deliverable() ? deliver() : null;
    }

    private @Nullable TerminateCode deliver() {
        ReceiveOperation operation = queue.buffer();
        RdmapOpcode opcode = RdmapOpcode.of(queue.ulpControl());
        int length = queue.messageLength();
        // RFC 5041 §7.2: placement failed for a local reason.
        if (opcode == null || operation.lost()) {
            failure = OperationStatus.LOC_PROT_ERR;
            return TerminateCode.DDP_LOCAL_CATASTROPHIC;
        }
        if (opcode.immediateData()) {
            // RFC 7306 §6.3, EXT-6.3-2: Immediate Data has exactly 8 bytes.
            if (length != opcode.headerLength()) {
                failure = OperationStatus.LOC_LEN_ERR;
                return TerminateCode.RDMAP_OPERATION_UNSPECIFIED;
            }
            details.set(ReceiveDetails.Kind.IMMEDIATE_DATA, length, opcode.solicited());
            details.immediate(operation.firstEightOctets());
        } else {
            details.set(ReceiveDetails.Kind.SEND, length, opcode.solicited());
        }
        if (opcode.invalidates()) {
            TerminateCode refusal = invalidate(queue.ulpWord());
            if (refusal != null) {
                failure = OperationStatus.LOC_ACCESS_ERR;
                return refusal;
            }
            details.invalidated(queue.ulpWord());
        }
        // RDMAP-5.3-1, RDMAP-5.3-3, EXT-6.3-3: each message completes one receive, in order; RDMAP-5.5-1: all earlier
        // messages are placed.
        queue.delivered();
        complete(operation, OperationStatus.SUCCESS);
        return null;
    }

    /**
     * RFC 5040 §5.3, RDMAP-5.3-4: the STag must be valid and exclusive to this stream; it is invalidated before the
     * Send is delivered.
     */
    private @Nullable TerminateCode invalidate(int sTag) {
        TerminateCode refusal = access.checkInvalidate(sTag, domain.shared());
        TaggedBuffer buffer = access.buffer();
        if (refusal == null && buffer != null) {
            table.invalidate(buffer);
        }
        return refusal;
    }

    private void complete(ReceiveOperation operation, OperationStatus status) {
        listener.receiveCompleted(operation, status, details);
        operation.memory().clear();
        source.release(operation);
    }

    /** Flushes all receives in order, after the stream has ended. */
    void flush() {
        ReceiveOperation operation = queue.drain();
        while (operation != null) {
            flush(operation);
            operation = queue.drain();
        }
        failure = OperationStatus.WR_FLUSH_ERR;
        while (!source.shared() && (operation = source.take()) != null) {
            flush(operation);
        }
    }

    private void flush(ReceiveOperation operation) {
        if (failure == OperationStatus.WR_FLUSH_ERR) {
            counters.count(RdmapCounter.RECEIVES_FLUSHED);
        }
        details.clear();
        complete(operation, failure);
        failure = OperationStatus.WR_FLUSH_ERR;
    }
}
