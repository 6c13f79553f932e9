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
 * The peer's Reads and Atomics: takes in their requests, as many as the inbound read depth allows, and answers them in the
 * order they came (RFC 5040 §5.2, §5.5 (20); RFC 7306 §5.4 (8), §7). Owner thread only; allocates only when more requests than
 * ever before are unanswered.
 */
final class InboundRequests implements UntaggedBufferSource<RequestSlot> {
    private final TaggedAccess access;
    private final UlpduSegments segments;
    private final AtomicResponseHeader atomicResponse = new AtomicResponseHeader();

    private final GrowingRing<RequestSlot> slots = new GrowingRing<>(RequestSlot::new);
    private int ird;
    private int spare;

    // Requests are counted as they pass: a slot is in use from its taking until the last segment of its answer.
    private long taken;
    private long delivered;
    private long answered;

    private int responseMsn = UntaggedQueue.FIRST_MSN;
    private @Nullable TerminateCode fault;

    InboundRequests(TaggedAccess access, UlpduSegments segments) {
        this.access = access;
        this.segments = segments;
    }

    /**
     * Sets how many slots there may be.
     *
     * @param depth Reads and Atomics that may be unanswered at a time
     * @param readyToReceiveRead true if the peer may first send a zero-length Read as its ready-to-receive message, which
     *     is answered whatever the depth (RFC 6581 §9.2)
     */
    void open(int depth, boolean readyToReceiveRead) {
        ird = depth;
        spare = readyToReceiveRead ? 1 : 0;
        // RDMAP-5.2.2-1: as many as were agreed. SEC-6.4.3.3-1: each stream has its own.
    }

    /** For tests near the wrap: the next Atomic Response has this number. */
    void startAt(int messageSequenceNumber) {
        responseMsn = messageSequenceNumber;
    }

    @Override
    public @Nullable RequestSlot take() {
        // RFC 5040 §5.2.2, RFC 7306 §5.2.2 (4), RDMAP-6.1-3, EXT-5.2.2-2: one depth for both kinds of request; beyond
        // it there is no buffer.
        if (taken - answered >= ird + spare) {
            return null;
        }
        return slots.begin(answered, taken++);
    }

    /**
     * A request is whole: checks it, and queues it for its answer.
     *
     * @param length bytes that came
     * @return null, or what is wrong with it
     */
    @Nullable
    TerminateCode deliver(RequestSlot slot, RdmapOpcode opcode, int length, int msn) {
        // RFC 5040 §4.4, RFC 7306 §5.2.1: the header has exactly this size.
        if (length != opcode.headerLength()) {
            return TerminateCode.RDMAP_OPERATION_UNSPECIFIED;
        }
        slot.delivered(opcode, msn);
        if (msn == UntaggedQueue.FIRST_MSN && !slot.isEmptyRead()) {
            // No ready-to-receive Read: what came instead needs a slot like any other.
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

    /** RFC 5040 §7.2, RFC 7306 §8.2: what the request wants of our memory. */
    private @Nullable TerminateCode check(RequestSlot slot) {
        if (slot.isRead()) {
            // RFC 5040 §5.2.1, RDMAP-5.2.1-4: nothing is checked for size 0; checkRemoteRead knows.
            return access.checkRemoteRead(
                    slot.read.sourceSTag(), slot.read.sourceOffset() + slot.sent, slot.read.size() - slot.sent);
        }
        TerminateCode refusal = access.checkAtomic(slot.atomic.remoteSTag(), slot.atomic.remoteOffset());
        if (refusal != null) {
            return refusal;
        }
        int operation = slot.atomic.operation();
        // RFC 7306 §5.2.1 (4), EXT-5.2.1-2: an operation that is not supported is an error.
        // EXT-5-1: both.
        return operation == AtomicRequestHeader.FETCH_ADD || operation == AtomicRequestHeader.COMPARE_SWAP
                ? null
                : TerminateCode.RDMAP_UNEXPECTED_OPCODE;
    }

    /** {@return whether a request waits for its answer or is being answered} */
    boolean ready() {
        return answered < delivered;
    }

    /** {@return whether an answer is begun and not ended} */
    boolean underWay() {
        return ready() && oldest().sent > 0;
    }

    /** {@return the request that is, or is next to be, answered} */
    RequestSlot oldest() {
        // RDMAP-5.2.1-3, EXT-7-1: in the order of the requests.
        return slots.at(answered);
    }

    /** {@return what made {@link #poll} fail, or null; it is about {@link #oldest}} */
    @Nullable
    TerminateCode fault() {
        return fault;
    }

    /**
     * Writes the next segment of the oldest answer.
     *
     * @return false if there is nothing to answer, or the request cannot be answered any more: see {@link #fault}
     */
    boolean poll(UlpduWriter out) {
        if (!ready()) {
            return false;
        }
        RequestSlot slot = oldest();
        // RFC 5040 §8.1.1, SEC-6.2.2-1: what was allowed when the request came may have been revoked since.
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
        // RDMAP-5.2-1, RDMAP-5.2.1-5: one Response, with one last segment, also for no bytes.
        boolean last = length == left;
        // RFC 5040 §4.4, §4.5, RDMAP-4.4-2: sink STag and TO are copied as they came.
        segments.tagged(
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
     * The operation is done now, when its answer is made: in the order of the requests (RFC 7306 §5.4 (8),
     * EXT-5.2.1-4).
     */
    private boolean atomicResponse(RequestSlot slot, UlpduWriter out) {
        AtomicRequestHeader request = slot.atomic;
        TaggedBuffer target = access.buffer();
        if (target == null) {
            throw new IllegalStateException("An Atomic needs a target that was checked");
        }
        ByteBuffer memory = target.memoryAt(access.position());
        int index = target.indexAt(access.position());
        // EXT-5.4-1: everything before the request has been delivered.
        long old = request.operation() == AtomicRequestHeader.FETCH_ADD
                ? AtomicMemory.fetchAndAdd(memory, index, request.data(), request.mask())
                : AtomicMemory.compareAndSwap(
                        memory, index, request.compare(), request.compareMask(), request.data(), request.mask());
        if (target.mapped()) {
            MappedMemory.settle();
        }
        int at = segments.single(out, RdmapOpcode.ATOMIC_RESPONSE, responseMsn++, AtomicResponseHeader.LENGTH);
        atomicResponse.wrap(out.buffer(), at, AtomicResponseHeader.LENGTH);
        // EXT-5.2.2-1
        atomicResponse.response(request.identifier(), old);
        out.end();
        return true;
    }
}
