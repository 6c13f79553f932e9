package dev.jwarp.rdmap;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.PostedOperation;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a send queue: its kind, its memory and (for the stream only) its progress. Mutable and reused, as a
 * slot of an {@link OperationRing}. The producer calls {@link #reset}, sets the fields that the kind needs, and
 * publishes; from then on the operation belongs to the stream until it completes.
 */
public final class SendOperation extends PostedOperation<SendOperation> {
    /** What to do. */
    public enum Kind {
        /** Send (RFC 5040 §4.6). */
        SEND,
        /** Send that invalidates an STag of the peer on delivery (RFC 5040 §4.7). */
        SEND_WITH_INVALIDATE,
        /** RDMA Write (RFC 5040 §4.3). */
        RDMA_WRITE,
        /** RDMA Write, then Immediate Data: two messages, one operation (RFC 7306 §6). */
        RDMA_WRITE_WITH_IMMEDIATE,
        /** RDMA Read (RFC 5040 §5.2) into one piece of memory that grants {@code LOCAL_WRITE}. */
        RDMA_READ,
        /** RDMA Read that invalidates the STag of its sink when the data has arrived. */
        RDMA_READ_WITH_LOCAL_INVALIDATE,
        /** Immediate Data alone (RFC 7306 §6). */
        IMMEDIATE_DATA,
        /** FetchAdd (RFC 7306 §5.1.1); the old value is stored in one piece of 8 bytes, in native byte order. */
        ATOMIC_FETCH_AND_ADD,
        /** CmpSwap (RFC 7306 §5.1.2); the old value is stored in one piece of 8 bytes, in native byte order. */
        ATOMIC_COMPARE_AND_SWAP,
        /** Invalidates an STag of this side; sends nothing. */
        LOCAL_INVALIDATE,
        /** Ends the old binding of a memory window and makes the new binding valid; sends nothing. */
        BIND_WINDOW;

        /** {@return whether the operation completes only with the peer's response, and needs an ORD credit} */
        public boolean awaitsResponse() {
            return this == RDMA_READ
                    || this == RDMA_READ_WITH_LOCAL_INVALIDATE
                    || this == ATOMIC_FETCH_AND_ADD
                    || this == ATOMIC_COMPARE_AND_SWAP;
        }

        /** {@return whether the operation sends a message} */
        public boolean sends() {
            return this != LOCAL_INVALIDATE && this != BIND_WINDOW;
        }
    }

    /** How far the stream has come with an operation. */
    enum Progress {
        /** Not begun. */
        POSTED,
        /** Some segments are passed to the lower layer. */
        SENDING,
        /** All segments are passed to the lower layer, which may not have sent them yet. */
        POLLED,
        /** A Read or Atomic whose request is sent. */
        AWAITING_RESPONSE,
        /** Complete; waits for earlier operations to complete. */
        DONE
    }

    private Kind kind = Kind.SEND;
    private boolean fence;
    private int invalidateSTag;
    private long immediate;
    private long operand;
    private long operandMask;
    private long compare;
    private long compareMask;
    private @Nullable TaggedBuffer window;
    private @Nullable TaggedBuffer replacedWindow;

    Progress progress = Progress.POSTED;
    OperationStatus status = OperationStatus.SUCCESS;
    int messageSequenceNumber;

    /**
     * Creates an operation.
     *
     * @param maximumPieces maximum number of pieces of memory
     * @param inlineCapacity bytes that may be given inline
     */
    public SendOperation(int maximumPieces, int inlineCapacity) {
        super(maximumPieces, inlineCapacity);
    }

    /**
     * Makes this a blank operation of the given kind.
     *
     * @return this
     */
    public SendOperation reset(Kind what, long id) {
        blank(id);
        kind = what;
        fence = false;
        invalidateSTag = 0;
        immediate = 0;
        operand = 0;
        operandMask = 0;
        compare = 0;
        compareMask = 0;
        window = null;
        replacedWindow = null;
        progress = Progress.POSTED;
        status = OperationStatus.SUCCESS;
        return this;
    }

    /** {@return the kind of operation} */
    public Kind kind() {
        return kind;
    }

    /** {@return whether the operation begins only after all earlier Reads and Atomics are complete} */
    public boolean fence() {
        return fence;
    }

    /** Sets {@link #fence()}; returns this. */
    public SendOperation fence(boolean value) {
        fence = value;
        return this;
    }

    /** {@return the STag to invalidate: the peer's for a Send, ours for {@link Kind#LOCAL_INVALIDATE}} */
    public int invalidateSTag() {
        return invalidateSTag;
    }

    /** Sets {@link #invalidateSTag()}; returns this. */
    public SendOperation invalidateSTag(int sTag) {
        invalidateSTag = sTag;
        return this;
    }

    /** {@return the 8 bytes of Immediate Data, highest first} */
    public long immediate() {
        return immediate;
    }

    /** Sets {@link #immediate()}; returns this. */
    public SendOperation immediate(long data) {
        immediate = data;
        return this;
    }

    /** {@return the addend of FetchAdd, the new value of CmpSwap} */
    public long operand() {
        return operand;
    }

    /** {@return the top bits of FetchAdd's fields (0: one field of 64 bits), the bits CmpSwap may change} */
    public long operandMask() {
        return operandMask;
    }

    /** {@return the value CmpSwap expects} */
    public long compare() {
        return compare;
    }

    /** {@return the bits CmpSwap compares} */
    public long compareMask() {
        return compareMask;
    }

    /** Sets the operands of FetchAdd; returns this. */
    public SendOperation fetchAndAdd(long addend, long fieldBoundaries) {
        operand = addend;
        operandMask = fieldBoundaries;
        compare = 0;
        compareMask = -1; // RFC 7306 §5.2.1, EXT-5.2.1-5: unused by FetchAdd; data zero, mask all ones
        return this;
    }

    /** Sets the operands of CmpSwap; returns this. */
    public SendOperation compareAndSwap(long expected, long expectedMask, long newValue, long newValueMask) {
        operand = newValue;
        operandMask = newValueMask;
        compare = expected;
        compareMask = expectedMask;
        return this;
    }

    /**
     * {@return the binding that {@link Kind#BIND_WINDOW} makes valid, from {@link
     * dev.jwarp.ddp.STagTable#prepareWindow}; null to end the old one only}
     */
    public @Nullable TaggedBuffer window() {
        return window;
    }

    /** {@return the binding that ends, and is deregistered; null if there is none} */
    public @Nullable TaggedBuffer replacedWindow() {
        return replacedWindow;
    }

    /** Sets {@link #window()} and {@link #replacedWindow()}; returns this. */
    public SendOperation bind(@Nullable TaggedBuffer newWindow, @Nullable TaggedBuffer oldWindow) {
        window = newWindow;
        replacedWindow = oldWindow;
        return this;
    }
}
