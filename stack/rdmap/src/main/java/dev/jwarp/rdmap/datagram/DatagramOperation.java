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
 * One operation of a datagram send queue: what to do, for which peer, with which memory, and (for the endpoint only) how
 * far it has come. Mutable and reused: an entry of an {@link OperationPool}. The producer calls {@link #reset}, sets what
 * its kind needs, and publishes; from then on it belongs to the endpoint until it is completed.
 */
public final class DatagramOperation extends PostedOperation<DatagramOperation> implements OutboundMessage {
    /** What to do. */
    public enum Kind {
        /** Send (RFC 5040 §4.6). */
        SEND,
        /** RDMA Write (RFC 5040 §4.3): placed where it says, without a trace there. */
        RDMA_WRITE,
        /** Write-Record (datagram-iWARP §7): placed where it says, and told there with a completion. */
        WRITE_RECORD,
        /** RDMA Read (RFC 5040 §5.2) into memory that grants {@code LOCAL_WRITE}; several pieces are allowed. */
        RDMA_READ;

        boolean tagged() {
            return this == RDMA_WRITE || this == WRITE_RECORD;
        }
    }

    /** How far the endpoint has come with an operation. */
    enum Progress {
        /** Not begun. */
        POSTED,
        /** Some of it is with the lower layer. */
        SENDING,
        /** All of it is with the lower layer, which may not have sent it yet. */
        POLLED,
        /** A Read whose request is sent. */
        AWAITING_RESPONSE,
        /** Ended, but the lower layer may still hold datagrams of it. */
        ENDED,
        /** Complete, and given back. */
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

    /** The poll after which the lower layer had all of it. */
    long polledAt;

    /** The link of its {@link OperationList}. Null outside of a list. */
    @Nullable
    DatagramOperation next;

    /** Of a Read: the sink STag and tagged offset on the wire: random, good for this Read only, also when it has ended. */
    int handle;

    long handleOffset;

    @Nullable
    OutstandingRead read;

    /** What of a Read's answer has arrived, if it ended before all had. */
    @Nullable
    MessageRecord record;

    /**
     * Creates one.
     *
     * @param maximumPieces of memory
     * @param inlineCapacity bytes that may be given inline
     */
    public DatagramOperation(int maximumPieces, int inlineCapacity) {
        super(maximumPieces, inlineCapacity);
    }

    /**
     * Makes it a blank operation of this kind.
     *
     * @param to the one it goes to
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

    /** Complete: refers to nothing any more. */
    void clear() {
        memory().clear();
        destination = null;
        read = null;
        record = null;
        next = null;
        progress = Progress.DONE;
    }

    /** {@return what to do} */
    public Kind kind() {
        return kind;
    }

    /** {@return the peer it goes to} */
    public DatagramDestination destination() {
        return Objects.requireNonNull(destination, "an operation that is not posted goes nowhere");
    }

    /** {@return how long the answer to a Read may take, whatever comes of it, in nanoseconds; 0 for what the settings say} */
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
