package dev.jwarp.rdmap.datagram;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.datagram.OutboundMessage;
import dev.jwarp.rdmap.datagram.OutstandingReads.OutstandingRead;
import dev.jwarp.rdmap.message.RdmapOpcode;
import dev.jwarp.rdmap.work.OperationPool;
import dev.jwarp.rdmap.work.PostedOperation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a datagram send queue: its kind, its peer, its memory and (for the endpoint only) its progress.
 * Mutable and reused, as an entry of an {@link OperationPool}. The producer calls {@link #reset}, sets the fields that
 * the kind needs, and publishes; from then on the operation belongs to the endpoint until it completes.
 */
public final class DatagramOperation extends PostedOperation<DatagramOperation> implements OutboundMessage {
    /** What to do. */
    public enum Kind {
        /** Send (RFC 5040 §4.6). */
        SEND,
        /** RDMA Write (RFC 5040 §4.3): placed in the peer's memory, without a completion at the peer. */
        RDMA_WRITE,
        /** Write-Record (datagram-iWARP §7): placed in the peer's memory, with a completion at the peer. */
        WRITE_RECORD,
        /** RDMA Read (RFC 5040 §5.2) into memory that grants {@code LOCAL_WRITE}; several pieces are allowed. */
        RDMA_READ;

        boolean tagged() {
            return this == RDMA_WRITE || this == WRITE_RECORD;
        }
    }

    /** The progress of an operation. */
    enum Progress {
        /** Not begun. */
        POSTED,
        /** Some segments are passed to the lower layer. */
        SENDING,
        /** All segments are passed to the lower layer, which may not have sent them yet. */
        POLLED,
        /** A Read whose request is sent. */
        AWAITING_RESPONSE,
        /** Ended, but the lower layer may still hold its datagrams. */
        ENDED,
        /** Complete, and released to the pool. */
        DONE
    }

    private Kind kind = Kind.SEND;
    private long deadlineNanos;
    private @Nullable DatagramDestination destination;

    Progress progress = Progress.POSTED;
    OperationStatus status = OperationStatus.SUCCESS;
    int messageId;
    int segmentSize;
    int segments;
    int sent;
    int accepted;
    boolean padded;

    /** The value of the poll count when the lower layer had all segments. */
    long polledAt;

    /** The link of its {@link OperationList}. Null outside of a list. */
    @Nullable
    DatagramOperation next;

    /** Of a Read: the sink STag and tagged offset on the wire; random, and never valid for another Read. */
    int handle;

    long handleOffset;

    @Nullable
    OutstandingRead read;

    /** The parts of a Read Response that arrived, if the Read ended early. */
    @Nullable
    MessageRecord record;

    /**
     * Creates an operation.
     *
     * @param maximumPieces maximum number of pieces of memory
     * @param inlineCapacity bytes that may be given inline
     */
    public DatagramOperation(int maximumPieces, int inlineCapacity) {
        super(maximumPieces, inlineCapacity);
    }

    /**
     * Makes this a blank operation of the given kind.
     *
     * @param to the destination
     * @return this
     */
    public DatagramOperation reset(Kind what, long id, DatagramDestination to) {
        blank(id);
        kind = what;
        destination = to;
        deadlineNanos = 0;
        progress = Progress.POSTED;
        status = OperationStatus.SUCCESS;
        sent = 0;
        accepted = 0;
        segments = 0;
        padded = false;
        next = null;
        read = null;
        record = null;
        return this;
    }

    /** Drops all references after completion. */
    void clear() {
        memory().clear();
        destination = null;
        read = null;
        record = null;
        next = null;
        progress = Progress.DONE;
    }

    /** {@return the kind of operation} */
    public Kind kind() {
        return kind;
    }

    /** {@return the destination} */
    public DatagramDestination destination() {
        return Objects.requireNonNull(destination, "an operation that is not posted goes nowhere");
    }

    /** {@return the fixed time limit for a Read Response in nanoseconds; 0 for the limit of the settings} */
    public long deadlineNanos() {
        return deadlineNanos;
    }

    /** Sets {@link #deadlineNanos()}; returns this. */
    public DatagramOperation deadlineNanos(long nanos) {
        deadlineNanos = nanos;
        return this;
    }

    /** {@return the RDMAP opcode of its messages} */
    int opcode() {
        return switch (kind) {
            case SEND -> (solicited() ? RdmapOpcode.SEND_WITH_SE : RdmapOpcode.SEND).code(); // DG-7-13
            case RDMA_WRITE -> RdmapOpcode.RDMA_WRITE.code();
            case WRITE_RECORD -> RdmapOpcode.WRITE_RECORD;
            case RDMA_READ -> RdmapOpcode.RDMA_READ_REQUEST.code();
        };
    }
}
