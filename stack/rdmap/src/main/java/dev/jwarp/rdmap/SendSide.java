package dev.jwarp.rdmap;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.llp.ReadyToReceive;
import dev.jwarp.llp.TerminateCode;
import dev.jwarp.llp.UlpduWriter;
import dev.jwarp.rdmap.SendOperation.Progress;
import dev.jwarp.rdmap.message.TerminateMessage;
import dev.jwarp.rdmap.work.OperationRing;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a stream: begins its operations in order, one message at a time, and completes them in order (RFC 5040
 * §5.5). Owner thread only; allocates nothing.
 *
 * <pre>
 *   completed ≤ transmitted ≤ begun ≤ published      sequence numbers of the ring
 *   [ done, or waiting for TCP or for a response ) [ waits for its turn )
 * </pre>
 */
final class SendSide {
    private final OperationRing<SendOperation> ring;
    private final OutstandingRequests outstanding;
    private final LocalOperations local;
    private final MessageWriter writer;
    private final StreamListener listener;
    private final RdmapCounters counters;

    private long completed;
    private long transmitted;
    private long begun;
    private long holdAt = Long.MAX_VALUE;
    private long closeAt = Long.MAX_VALUE;

    /** The operation whose message is partly written; its sequence number is {@link #begun}. */
    private @Nullable SendOperation current;

    private boolean inTransmission;

    /** A message was begun, or the ready-to-receive message written. */
    private boolean spoke;

    private ReadyToReceive readyToReceive = ReadyToReceive.NONE;
    private boolean peerClosed;
    private boolean requestsFailed;
    private @Nullable TerminateCode fault;

    SendSide(
            OperationRing<SendOperation> ring,
            OutstandingRequests outstanding,
            LocalOperations local,
            MessageWriter writer,
            StreamListener listener,
            RdmapCounters counters) {
        this.ring = ring;
        this.outstanding = outstanding;
        this.local = local;
        this.writer = writer;
        this.listener = listener;
        this.counters = counters;
        // The queue may have served another connection before.
        completed = ring.released();
        transmitted = completed;
        begun = completed;
    }

    /** Sends this message first, for the initiator of a peer-to-peer set-up (RFC 6581 §9.2). */
    void readyToReceive(ReadyToReceive message) {
        readyToReceive = message;
    }

    /** Sends an empty RDMA Write before the next message: see {@link StreamSettings#nudge}. */
    void nudge() {
        if (readyToReceive == ReadyToReceive.NONE) {
            readyToReceive = ReadyToReceive.WRITE;
        }
    }

    /** {@return whether a message was sent or is ready to be sent} */
    boolean spoke() {
        return spoke || ready();
    }

    /** Holds or resumes operations posted from now on. */
    void hold(boolean hold) {
        holdAt = hold ? ring.published() : Long.MAX_VALUE;
    }

    /** Stops sending operations posted from now on; held operations are still sent. */
    void close() {
        closeAt = ring.published();
        holdAt = Long.MAX_VALUE;
    }

    /** {@return whether all sendable work is passed to the lower layer} */
    boolean allSent() {
        return current == null && !waiting() && readyToReceive == ReadyToReceive.NONE;
    }

    /**
     * {@return false if there is nothing to write or execute now: the queue is empty, or the next operation has to
     * wait}
     */
    boolean ready() {
        return current != null || readyToReceive != ReadyToReceive.NONE || (waiting() && !mustWait(ring.at(begun)));
    }

    /** {@return whether an operation waits for its turn} */
    boolean waiting() {
        return begun < end();
    }

    /** {@return whether a message is partly written} */
    boolean underWay() {
        return current != null;
    }

    /** {@return whether the lower layer may still read from the memory of operations} */
    boolean inTransmission() {
        return inTransmission;
    }

    /** {@return the error of the last {@link #poll}, or null; the failed operation has its status} */
    @Nullable
    TerminateCode fault() {
        return fault;
    }

    private long end() {
        return Math.min(ring.published(), Math.min(holdAt, closeAt));
    }

    /**
     * Writes the ready-to-receive message.
     *
     * @return false if there is none to write
     */
    boolean pollReadyToReceive(UlpduWriter out) {
        if (readyToReceive == ReadyToReceive.NONE) {
            return false;
        }
        spoke = true;
        writer.readyToReceive(out, readyToReceive);
        readyToReceive = ReadyToReceive.NONE;
        return true;
    }

    /**
     * Writes the next segment of the send queue.
     *
     * @return false if there is none now, or the next operation failed: see {@link #fault}
     */
    boolean poll(UlpduWriter out) {
        SendOperation op = current;
        if (op == null) {
            op = begin(false);
            if (op == null) {
                return false;
            }
        }
        // Memory deregistered during the send: no further byte of it may leave.
        if (!op.memory().valid()) {
            fail(op, OperationStatus.LOC_PROT_ERR);
            return false;
        }
        inTransmission = true;
        if (writer.next(out, op)) {
            op.progress = op.kind().awaitsResponse() ? Progress.AWAITING_RESPONSE : Progress.POLLED;
            current = null;
            begun++;
        }
        return true;
    }

    /** Executes the next operations of the queue that send nothing. */
    void performLocal() {
        if (current == null && fault == null) {
            begin(true);
        }
    }

    /**
     * Executes operations that send nothing, then begins the next operation that sends, unless it has to wait.
     *
     * @param localOnly true to stop before the first operation that sends
     * @return the operation begun, or null
     */
    private @Nullable SendOperation begin(boolean localOnly) {
        while (waiting()) {
            // DDP-5.3-1, RDMAP-5.1-2, RDMAP-5.2.1-6: operations begin in the order they were posted.
            SendOperation op = ring.at(begun);
            if (localOnly && op.kind().sends()) {
                return null;
            }
            if (mustWait(op)) {
                return null;
            }
            if (op.fence() && requestsFailed) {
                passBy(op, OperationStatus.WR_FLUSH_ERR);
            } else if (op.kind().awaitsResponse() && peerClosed) {
                unanswered();
                passBy(op, OperationStatus.REM_ABORT_ERR);
            } else if (beginOrPassBy(op)) {
                return current;
            } else if (fault != null) {
                return null;
            }
        }
        return null;
    }

    /** {@return whether responses to earlier operations have to come first} */
    private boolean mustWait(SendOperation op) {
        // The verbs' fence: earlier Reads and Atomics must be complete (RFC 5040 appendix B, footnotes).
        if (op.fence() && !outstanding.isEmpty()) {
            return true;
        }
        // RFC 5040 §6.1, RDMAP-6.1-2: excess requests wait for a response to an earlier request.
        return op.kind().awaitsResponse() && !peerClosed && outstanding.isFull() && outstanding.depth() > 0;
    }

    /** {@return true if the operation has something to send; false if it is done or has failed} */
    private boolean beginOrPassBy(SendOperation op) {
        OperationStatus status = local.check(op, outstanding.depth());
        if (status == OperationStatus.SUCCESS && !op.kind().sends()) {
            status = local.perform(op);
        }
        if (status != OperationStatus.SUCCESS) {
            fail(op, status);
            return false;
        }
        if (!op.kind().sends()) {
            passBy(op, OperationStatus.SUCCESS);
            return false;
        }
        spoke = true;
        op.progress = Progress.SENDING;
        current = op;
        writer.begin(op);
        return true;
    }

    /** Ends an operation without a message. */
    private void passBy(SendOperation op, OperationStatus status) {
        op.status = status;
        op.progress = Progress.DONE;
        begun++;
        completeInOrder();
    }

    private void fail(SendOperation op, OperationStatus status) {
        op.status = status;
        // RFC 5040 §4.8: a local failure, not caused by a message of the peer.
        fault = TerminateCode.RDMAP_LOCAL_CATASTROPHIC;
        counters.count(RdmapCounter.LOCAL_FAULTS);
    }

    /** The lower layer has passed everything polled so far to the network. */
    void transmitted() {
        transmitted = begun;
        inTransmission = false;
        completeInOrder();
    }

    /** The oldest outstanding request is answered and its data is placed. */
    void answered() {
        OutstandingRequests.Entry entry = outstanding.oldest();
        SendOperation op = entry == null ? null : entry.operation;
        outstanding.removeOldest();
        if (op != null) {
            op.progress = Progress.DONE;
            local.afterResponse(op);
            completeInOrder(); // RDMAP-5.2.2-4
        }
    }

    /** RFC 5040 §6.2: the peer's direction has ended, so outstanding requests cannot be answered any more. */
    void peerClosed() {
        peerClosed = true;
        OutstandingRequests.Entry entry = outstanding.oldest();
        while (entry != null) {
            SendOperation op = entry.operation;
            if (op != null) {
                unanswered();
                op.status = OperationStatus.REM_ABORT_ERR;
                op.progress = Progress.DONE;
            }
            outstanding.removeOldest();
            entry = outstanding.oldest();
        }
        completeInOrder();
    }

    private void unanswered() {
        requestsFailed = true;
        counters.count(RdmapCounter.REQUESTS_UNANSWERED);
    }

    /** RFC 5040 §5.5 (15), RDMAP-5.5-3: operations complete in the order they were posted. */
    private void completeInOrder() {
        while (completed < begun) {
            SendOperation op = ring.at(completed);
            // RFC 5040 §5.5 (14), RDMAP-5.5-5: a Send or Write is complete when the lower layer has accepted all of it.
            boolean done = op.progress == Progress.DONE || (op.progress == Progress.POLLED && completed < transmitted);
            if (!done) {
                return;
            }
            complete(op, op.status);
        }
    }

    private void complete(SendOperation op, OperationStatus status) {
        listener.sendCompleted(op, status);
        op.memory().clear();
        ring.release(completed);
        completed++;
    }

    /** Sets the status of the incomplete operation that the peer's Terminate quotes, if there is one. */
    void blame(@Nullable TerminateMessage message) {
        TerminateCode code = message == null ? null : message.code();
        if (message == null || code == null) {
            return;
        }
        QuotedSegment quoted = new QuotedSegment(message);
        long end = underWay() ? begun + 1 : begun;
        for (long i = completed; i < end; i++) {
            SendOperation op = ring.at(i);
            if (op.progress != Progress.DONE && quoted.belongsTo(op)) {
                op.status = code.requesterStatus();
                return;
            }
        }
    }

    /** Flushes all operations in order, after the stream has ended. */
    void flush() {
        current = null;
        outstanding.clear();
        // DDP-6.2.2-2, RDMAP-6.2.1-2: they complete in error.
        while (completed < ring.published()) {
            SendOperation op = ring.at(completed);
            boolean named = op.status != OperationStatus.SUCCESS;
            if (!named) {
                counters.count(RdmapCounter.SENDS_FLUSHED);
            }
            complete(op, named ? op.status : OperationStatus.WR_FLUSH_ERR);
        }
        begun = Math.max(begun, completed);
    }
}
