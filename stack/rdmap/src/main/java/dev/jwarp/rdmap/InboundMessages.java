package dev.jwarp.rdmap;

import dev.jwarp.ddp.DdpSegment;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.UntaggedQueue;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.rdmap.message.AtomicResponseHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.message.TerminateHeader;
import dev.jwarp.rdmap.message.TerminateMessage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receive path: checks each segment from the peer, places it, and delivers complete messages (RFC 5041 §5.4, §7.1;
 * RFC 5040 §5, §7). The first check that fails determines the code of the error. Owner thread only; allocates nothing.
 */
final class InboundMessages {
    private final TaggedAccess access;
    private final boolean extensions;
    private final PostedReceives receives;
    private final InboundRequests requests;
    private final OutstandingRequests outstanding;
    private final SendSide sends;

    private final UntaggedQueue<RequestSlot> requestQueue;
    private final UntaggedQueue<HeaderBuffer> responseQueue;
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();
    private final DdpSegment segment = new DdpSegment();

    /** Responder: true until the peer's first message. If that is a Terminate, it reports an error of start-up. */
    private boolean setUp;

    private boolean wantsOutput;
    private boolean terminated;
    private @Nullable TerminateMessage terminate;
    private @Nullable RequestSlot refusedRequest;

    InboundMessages(
            TaggedAccess access,
            boolean extensions,
            PostedReceives receives,
            InboundRequests requests,
            OutstandingRequests outstanding,
            SendSide sends) {
        this.access = access;
        this.extensions = extensions;
        this.receives = receives;
        this.requests = requests;
        this.outstanding = outstanding;
        this.sends = sends;
        requestQueue = UntaggedQueue.ordered(requests);
        responseQueue = UntaggedQueue.ordered(outstanding);
    }

    /**
     * The connection is established. Only an initiator sends a Terminate about start-up (RFC 6581 §9), as its first
     * message.
     */
    void open(boolean initiator) {
        setUp = !initiator;
    }

    /** For tests near the wrap: the next message of each queue has this number. */
    void startAt(int messageSequenceNumber) {
        requestQueue.startAt(messageSequenceNumber);
        responseQueue.startAt(messageSequenceNumber);
        receives.startAt(messageSequenceNumber);
    }

    /** {@return the last segment received} */
    DdpSegment segment() {
        return segment;
    }

    /** {@return the request that was rejected on delivery, or null} */
    @Nullable
    RequestSlot refusedRequest() {
        return refusedRequest;
    }

    /** {@return whether the last segment gave this side something to send: a response, or a credit for waiting work} */
    boolean wantsOutput() {
        return wantsOutput;
    }

    /** {@return whether the last segment was the peer's Terminate} */
    boolean terminated() {
        return terminated;
    }

    /** {@return the peer's Terminate, or null if the Terminate was malformed} */
    @Nullable
    TerminateMessage terminate() {
        return terminate;
    }

    /**
     * Processes one ULPDU.
     *
     * @return null, or the error in the ULPDU; the caller passes no ULPDU after an error or a Terminate
     */
    @Nullable
    TerminateCode take(ByteBuffer ulpdu, int offset, int length) {
        wantsOutput = false;
        TerminateCode refusal = segment.parse(ulpdu, offset, length);
        if (refusal != null) {
            return refusal;
        }
        // RFC 5040 §7.2, RDMAP-7.2-2, RDMAP-4.1-2: the RDMAP version must be
        // the one of this RFC. (00b was the RDMA Consortium's.)
        if (!RdmapOpcode.versionMatches(segment.ulpControl())) {
            return TerminateCode.RDMAP_INVALID_VERSION;
        }
        RdmapOpcode opcode = RdmapOpcode.of(segment.ulpControl());
        // RFC 5040 §7.2, RDMAP-7.2-1, EXT-8.2-1: the opcode must be valid; §4.1, figure 4, RDMAP-7.2-9: the segment
        // must use the buffer model of its opcode.
        if (opcode == null || (opcode.extension() && !extensions) || opcode.tagged() != segment.tagged()) {
            return TerminateCode.RDMAP_UNEXPECTED_OPCODE;
        }
        // RDMAP-5.4-4: a Terminate needs no buffer.
        if (opcode == RdmapOpcode.TERMINATE) {
            takeTerminate(ulpdu);
            return null;
        }
        // DDP-5.3-3: placement of tagged and of untagged messages is independent.
        refusal = segment.tagged() ? takeTagged(opcode, ulpdu) : takeUntagged(opcode, ulpdu);
        setUp = false;
        return refusal;
    }

    private @Nullable TerminateCode takeTagged(RdmapOpcode opcode, ByteBuffer ulpdu) {
        if (opcode == RdmapOpcode.RDMA_READ_RESPONSE) {
            return readResponse(ulpdu);
        }
        // RFC 5041 §7.1: STag, stream, right, wrap, bounds. RFC 5040 §5.1, RDMAP-5.1-1: a Write completes nothing on
        // this side.
        TerminateCode refusal = access.checkWrite(segment.stag(), segment.taggedOffset(), segment.payloadLength());
        // DDP-7.1-10: all checks precede placement.
        if (refusal == null) {
            access.place(ulpdu, segment.payloadOffset(), segment.payloadLength());
        }
        return refusal;
    }

    private @Nullable TerminateCode readResponse(ByteBuffer ulpdu) {
        int length = segment.payloadLength();
        OutstandingRequests.Entry entry = outstanding.oldest();
        // RFC 5041 §7.1: the sink is checked like the target of a Write, except for the right.
        TerminateCode refusal = access.checkSink(segment.stag(), segment.taggedOffset(), length);
        if (refusal == TerminateCode.DDP_INVALID_STAG || refusal == TerminateCode.DDP_STAG_NOT_ASSOCIATED) {
            if (entry != null) {
                // Our sink was deregistered during the Read; any other STag never was the sink of this Read.
                boolean ours = entry.sinkSTag == segment.stag();
                entry.blame(ours ? OperationStatus.LOC_PROT_ERR : OperationStatus.BAD_RESP_ERR);
            }
            return refusal;
        }
        // RFC 5040 §5.2, §5.2.2, RDMAP-5.2.2-3: a Response needs a Request, and goes to the sink that the Request
        // named.
        boolean expected = entry != null && !entry.atomic && (length == 0 || entry.sinkSTag == segment.stag());
        if (entry == null || !expected) {
            if (entry != null) {
                entry.blame(OperationStatus.BAD_RESP_ERR);
            }
            return TerminateCode.RDMAP_UNEXPECTED_OPCODE;
        }
        if (refusal == null && length > 0) {
            // RDMAP-5.2.2-2: the bytes arrive in order and stay within the size of the Request.
            boolean fits = segment.taggedOffset() == entry.nextOffset() && length <= entry.left();
            refusal = fits ? null : TerminateCode.DDP_BASE_BOUNDS;
        }
        if (refusal == null && segment.last() && length != entry.left()) {
            refusal = TerminateCode.RDMAP_OPERATION_UNSPECIFIED; // the Response ends before its Request is satisfied
        }
        if (refusal != null) {
            entry.blame(OperationStatus.BAD_RESP_ERR);
            return refusal;
        }
        access.place(ulpdu, segment.payloadOffset(), length);
        entry.received += length;
        // RFC 5040 §5.5 (19), RDMAP-5.5-4: the Read is complete when its Response is delivered.
        if (segment.last()) {
            sends.answered();
            wantsOutput = sends.waiting();
        }
        return null;
    }

    private @Nullable TerminateCode takeUntagged(RdmapOpcode opcode, ByteBuffer ulpdu) {
        // RFC 5041 §7.1 (1), DDP-7.1-1: the queue must exist; RFC 5040 §4.1, figure 4: it must be the queue of this
        // opcode.
        if (segment.queueNumber() != opcode.queueNumber()) {
            return TerminateCode.DDP_INVALID_QN;
        }
        return switch (opcode.queueNumber()) {
            case RdmapOpcode.SEND_QUEUE -> receives.take(segment, ulpdu);
            case RdmapOpcode.REQUEST_QUEUE -> request(opcode, ulpdu);
            default -> atomicResponse(opcode, ulpdu);
        };
    }

    private @Nullable TerminateCode request(RdmapOpcode opcode, ByteBuffer ulpdu) {
        // RDMAP-5.2.1-1: a slot of queue 1; RDMAP-5.5-2: all earlier messages are placed, because the stream is in
        // order.
        TerminateCode refusal = requestQueue.place(segment, ulpdu, opcode.headerLength());
        if (refusal != null || !requestQueue.deliverable()) {
            return refusal;
        }
        RequestSlot slot = requestQueue.buffer();
        refusal = requests.deliver(slot, opcode, requestQueue.messageLength(), requestQueue.nextMsn());
        if (refusal != null) {
            refusedRequest = slot.isRead() ? slot : null;
            return refusal;
        }
        // RDMAP-5.2.1-2, EXT-5.2.1-3: no action of the program is needed.
        requestQueue.delivered();
        wantsOutput = true;
        return null;
    }

    private @Nullable TerminateCode atomicResponse(RdmapOpcode opcode, ByteBuffer ulpdu) {
        TerminateCode refusal = responseQueue.place(segment, ulpdu, opcode.headerLength());
        if (refusal != null || !responseQueue.deliverable()) {
            return refusal;
        }
        ByteBuffer octets = responseQueue.buffer().octets;
        OutstandingRequests.Entry entry = outstanding.oldest();
        atomicResponse.wrap(octets, 0, responseQueue.messageLength());
        // RFC 7306 §5.2.2 (7), §7, EXT-5.2.2-3, EXT-5.4-2: the response must be complete and carry the oldest request's
        // number.
        if (responseQueue.messageLength() != opcode.headerLength()
                || entry == null
                || !entry.atomic
                || atomicResponse.identifier() != entry.identifier) {
            if (entry != null) {
                entry.blame(OperationStatus.BAD_RESP_ERR);
            }
            return TerminateCode.RDMAP_OPERATION_UNSPECIFIED;
        }
        SendOperation op = entry.operation;
        if (op == null || !op.memory().valid()) {
            entry.blame(OperationStatus.LOC_PROT_ERR);
            return TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        }
        op.memory().store(atomicResponse.value());
        responseQueue.delivered();
        sends.answered();
        wantsOutput = sends.waiting();
        return null;
    }

    private void takeTerminate(ByteBuffer ulpdu) {
        terminated = true;
        // RFC 5040 §5.4, RDMAP-5.4-5, RDMAP-5.4-6: queue 2, first message, one segment. A malformed Terminate is not
        // answered.
        if (segment.queueNumber() == RdmapOpcode.TERMINATE_QUEUE
                && segment.messageSequenceNumber() == UntaggedQueue.FIRST_MSN
                && segment.messageOffset() == 0
                && segment.last()) {
            terminate = TerminateHeader.read(ulpdu, segment.payloadOffset(), segment.payloadLength(), setUp);
        }
    }
}
