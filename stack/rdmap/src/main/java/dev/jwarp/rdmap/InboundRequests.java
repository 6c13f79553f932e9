package dev.jwarp.rdmap;

import dev.jwarp.ddp.MappedMemory;
import dev.jwarp.ddp.TaggedAccess;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.ddp.TaggedHeader;
import dev.jwarp.ddp.UntaggedBufferSource;
import dev.jwarp.ddp.UntaggedQueue;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.message.AtomicRequestHeader;
import dev.jwarp.rdmap.message.AtomicResponseHeader;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.AtomicMemory;
import dev.jwarp.rdmap.work.ScatterList;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The peer's Reads and Atomics: queues their requests, at most the inbound read depth (IRD), and answers them in order
 * of arrival (RFC 5040 §5.2, §5.5 (20); RFC 7306 §5.4 (8), §7). Owner thread only; allocates only to grow beyond the
 * largest number of requests unanswered at a time.
 */
final class InboundRequests implements UntaggedBufferSource<RequestSlot> {
    private final TaggedAccess access;
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();

    private final GrowingRing<RequestSlot> slots = new GrowingRing<>(RequestSlot::new);
    private int ird;
    private int spare;

    // Counts of requests. A slot is in use from take() until the last segment of the response is written.
    private long taken;
    private long delivered;
    private long answered;

    private int responseMsn = UntaggedQueue.FIRST_MSN;
    private @Nullable TerminateCode fault;

    InboundRequests(TaggedAccess access) {
        this.access = access;
    }

    /**
     * Sets the number of slots.
     *
     * @param depth maximum number of unanswered Reads and Atomics
     * @param readyToReceiveRead true if the peer may first send a zero-length Read as its ready-to-receive message,
     *     which does not count against the depth (RFC 6581 §9.2)
     */
    void open(int depth, boolean readyToReceiveRead) {
        ird = depth;
        spare = readyToReceiveRead ? 1 : 0;
        // RDMAP-5.2.2-1: the depth that start-up agreed on. SEC-6.4.3.3-1: each stream has its own slots.
    }

    /** For tests near the wrap: the next Atomic Response has this number. */
    void startAt(int messageSequenceNumber) {
        responseMsn = messageSequenceNumber;
    }

    @Override
    public @Nullable RequestSlot take() {
        // RFC 5040 §5.2.2, RFC 7306 §5.2.2 (4), RDMAP-6.1-3, EXT-5.2.2-2: Reads and Atomics share one depth; a request
        // beyond it finds no buffer.
        if (taken - answered >= ird + spare) {
            return null;
        }
        return slots.begin(answered, taken++);
    }

    /**
     * Checks a complete request and queues it to be answered.
     *
     * @param length bytes received
     * @return null, or the error in the request
     */
    @Nullable
    TerminateCode deliver(RequestSlot slot, RdmapOpcode opcode, int length, int msn) {
        // RFC 5040 §4.4, RFC 7306 §5.2.1: the header has exactly this size.
        if (length != opcode.headerLength()) {
            return TerminateCode.RDMAP_OPERATION_UNSPECIFIED;
        }
        slot.delivered(opcode, msn);
        if (msn == UntaggedQueue.FIRST_MSN && !slot.isEmptyRead()) {
            // The first request is no ready-to-receive Read, so it needs an ordinary slot.
            spare = 0;
            if (ird == 0) {
                return TerminateCode.DDP_NO_BUFFER;
            }
        }
        TerminateCode refusal = check(slot);
        if (refusal == null) {
            delivered++;
        }
        return refusal;
    }

    /** RFC 5040 §7.2, RFC 7306 §8.2: checks the request's access to our memory. */
    private @Nullable TerminateCode check(RequestSlot slot) {
        if (slot.isRead()) {
            // RFC 5040 §5.2.1, RDMAP-5.2.1-4: checkRemoteRead checks nothing for size 0.
            return access.checkRemoteRead(
                    slot.read.sourceSTag(), slot.read.sourceOffset() + slot.sent, slot.read.size() - slot.sent);
        }
        TerminateCode refusal = access.checkAtomic(slot.atomic.remoteSTag(), slot.atomic.remoteOffset());
        if (refusal != null) {
            return refusal;
        }
        int operation = slot.atomic.operation();
        // RFC 7306 §5.2.1 (4), EXT-5.2.1-2: an operation that is not supported is an error. EXT-5-1: FetchAdd and
        // CmpSwap are both supported.
        return operation == AtomicRequestHeader.FETCH_ADD || operation == AtomicRequestHeader.COMPARE_SWAP
                ? null
                : TerminateCode.RDMAP_UNEXPECTED_OPCODE;
    }

    /** {@return whether a request waits for its answer or is being answered} */
    boolean ready() {
        return answered < delivered;
    }

    /** {@return whether a response is partly written} */
    boolean underWay() {
        return ready() && oldest().sent > 0;
    }

    /** {@return the request that is being answered, or is next} */
    RequestSlot oldest() {
        // RDMAP-5.2.1-3, EXT-7-1: in the order of the requests.
        return slots.at(answered);
    }

    /** {@return the error of the last {@link #poll}, in the request {@link #oldest}, or null} */
    @Nullable
    TerminateCode fault() {
        return fault;
    }

    /**
     * Writes the next segment of the response to the oldest request.
     *
     * @return false if no request waits, or the request can no longer be answered: see {@link #fault}
     */
    boolean poll(UlpduWriter out) {
        if (!ready()) {
            return false;
        }
        RequestSlot slot = oldest();
        // RFC 5040 §8.1.1, SEC-6.2.2-1: access may have been revoked since the request arrived.
        fault = check(slot);
        if (fault != null) {
            return false;
        }
        if (slot.isRead() ? readSegment(slot, out) : atomicResponse(slot, out)) {
            answered++;
            spare = slot.messageSequenceNumber == UntaggedQueue.FIRST_MSN ? 0 : spare;
        }
        return true;
    }

    private boolean readSegment(RequestSlot slot, UlpduWriter out) {
        long left = slot.read.size() - slot.sent;
        int length = (int) Math.min(left, out.mulpdu(TaggedHeader.LENGTH + left) - TaggedHeader.LENGTH);
        // RDMAP-5.2-1, RDMAP-5.2.1-5: one Response with one last segment, even for a Read of 0 bytes.
        boolean last = length == left;
        // RFC 5040 §4.4, §4.5, RDMAP-4.4-2: sink STag and TO are copied from the request unchanged.
        UlpduSegments.tagged(
                out,
                RdmapOpcode.RDMA_READ_RESPONSE,
                last,
                slot.read.sinkSTag(),
                slot.read.sinkOffset() + slot.sent,
                length);
        TaggedBuffer source = access.buffer();
        if (length > 0 && source != null) {
            ScatterList.write(out, source, access.position(), length);
        }
        out.end();
        slot.sent += length;
        return last;
    }

    /**
     * Executes the Atomic and writes its response. Atomics execute here, not on arrival, to keep the order of the
     * requests (RFC 7306 §5.4 (8), EXT-5.2.1-4).
     */
    private boolean atomicResponse(RequestSlot slot, UlpduWriter out) {
        AtomicRequestHeader request = slot.atomic;
        TaggedBuffer target = access.buffer();
        if (target == null) {
            throw new IllegalStateException("An Atomic needs a target that was checked");
        }
        ByteBuffer memory = target.memoryAt(access.position());
        int index = target.indexAt(access.position());
        // EXT-5.4-1: all messages before the request have been delivered.
        long old = request.operation() == AtomicRequestHeader.FETCH_ADD
                ? AtomicMemory.fetchAndAdd(memory, index, request.data(), request.mask())
                : AtomicMemory.compareAndSwap(
                        memory, index, request.compare(), request.compareMask(), request.data(), request.mask());
        if (target.mapped()) {
            MappedMemory.settle();
        }
        int at = UlpduSegments.single(out, RdmapOpcode.ATOMIC_RESPONSE, responseMsn++, AtomicResponseHeader.LENGTH);
        atomicResponse.wrap(out.buffer(), at, AtomicResponseHeader.LENGTH);
        // EXT-5.2.2-1
        atomicResponse.response(request.identifier(), old);
        out.end();
        return true;
    }
}
