package dev.jwarp.rnic.datagram;

import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.llp.Deferring;
import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.datagram.DatagramOperation;
import dev.jwarp.rdmap.datagram.DatagramReceipt;
import dev.jwarp.rdmap.datagram.MessageRecord;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ScatterList;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.completion.HeldCompletion;
import dev.jwarp.rnic.completion.RangeValidity;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.queuepair.QueuePairCompleter;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reports completions of an endpoint to the completion queues. A completion is held until the slot of its request is
 * free. Owner of the port only, unless stated otherwise. Allocates only for RDMA Reads without any response.
 */
public final class DatagramCompleter extends QueuePairCompleter {
    private final HeldCompletion heldSend;
    private final HeldCompletion heldReceive;

    /** RDMA Reads that are parts of a larger read, from post to completion. */
    private final Map<DatagramOperation, Whole> parts = new ConcurrentHashMap<>();

    private @Nullable String diagnosis;

    /** Larger reads of which a part ended in the current call, or for whose next part the send queue was full. */
    private final List<Whole> toGoOn = new ArrayList<>();

    /** A larger RDMA Read that consists of several RDMA Reads. */
    interface Whole {
        /** Posts the first parts; the send queue has a free slot. Under the send lock. Throws if no part was posted. */
        void begin();

        /** A part is complete. Owner only. */
        void partEnded(DatagramOperation operation, OperationStatus status, @Nullable MessageRecord record);

        /**
         * Posts the next parts, or completes. Owner only; not within a call of the endpoint.
         *
         * @return whether the read waits for a free slot of the send queue, so that this method has to be called again
         */
        boolean goOn();

        /** Writes the source and destination of the read into its completion. */
        void describe(Completion entry);
    }

    DatagramCompleter(
            int queuePairNumber, RnicCompletionQueue sendCompletions, RnicCompletionQueue receiveCompletions) {
        super(queuePairNumber, sendCompletions, receiveCompletions);
        heldSend = new HeldCompletion(sendCompletions);
        heldReceive = new HeldCompletion(receiveCompletions);
    }

    /** Announces an RDMA Read that is a part of {@code reader} and is about to be published. Under the send lock. */
    void expectPart(DatagramOperation operation, Whole reader) {
        parts.put(operation, reader);
    }

    /** Continues {@code reader} at the next {@link #release}, when slots of the send queue are free. */
    void askAgain(Whole reader) {
        if (!toGoOn.contains(reader)) {
            toGoOn.add(reader);
        }
    }

    /** Sets the diagnosis of later failures; null for none. Owner only. */
    void explain(@Nullable String text) {
        diagnosis = text;
    }

    void sendCompleted(DatagramOperation operation, OperationStatus status, @Nullable MessageRecord record) {
        RnicAddressHandle destination = RnicAddressHandle.of(operation);
        destination.requestCompleted();
        boolean success = status == OperationStatus.SUCCESS;
        if (success) {
            counts.sendCompleted();
        } else {
            counts.sendFailed();
        }
        Whole reader = parts.isEmpty() ? null : parts.remove(operation);
        if (reader != null) {
            reader.partEnded(operation, status, record);
            askAgain(reader);
            return;
        }
        if (success && !operation.signaled()) {
            sendCompletions.unreserve();
            return;
        }
        Completion entry = sendCompletions.claimReserved();
        boolean read = operation.kind() == DatagramOperation.Kind.RDMA_READ;
        long octets = success && read ? operation.memory().length() : record == null ? 0 : record.validBytes();
        fill(entry, operation.workRequestId(), status, opcode(operation.kind()), saturated(octets));
        if (!success) {
            entry.diagnosis(diagnosis);
        }
        if (read) {
            describeRead(entry, operation, destination, status, record);
        }
        heldReceive.release();
        heldSend.hold(entry);
    }

    /**
     * {@return the byte count for a completion: at most 2^31 − 1} The message length and the validity map have the true
     * count.
     */
    private static int saturated(long bytes) {
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    private static void describeRead(
            Completion entry,
            DatagramOperation operation,
            RnicAddressHandle destination,
            OperationStatus status,
            @Nullable MessageRecord record) {
        ScatterList memory = operation.memory();
        TaggedBuffer sink = memory.size() == 1 ? memory.buffer(0) : null;
        entry.memory(sink == null ? 0 : sink.stag(), sink == null ? 0 : memory.taggedOffset(0), memory.length());
        entry.read(destination, operation.remoteSTag(), operation.remoteOffset());
        if (record != null) {
            entry.record(record);
        } else if (status == OperationStatus.RESP_TIMEOUT_ERR) {
            entry.validity(new RangeValidity(memory.length()));
        }
    }

    private static WorkCompletionOpcode opcode(DatagramOperation.Kind kind) {
        return switch (kind) {
            case SEND -> WorkCompletionOpcode.SEND;
            case RDMA_WRITE -> WorkCompletionOpcode.RDMA_WRITE;
            case WRITE_RECORD -> WorkCompletionOpcode.WRITE_RECORD;
            case RDMA_READ -> WorkCompletionOpcode.RDMA_READ;
        };
    }

    void receiveCompleted(ReceiveOperation operation, OperationStatus status, DatagramReceipt receipt) {
        boolean success = status == OperationStatus.SUCCESS;
        if (success) {
            counts.receiveCompleted((int) receipt.messageLength());
        } else {
            counts.receiveFailed();
        }
        Completion entry = receiveCompletions.claimReserved();
        fill(
                entry,
                operation.workRequestId(),
                status,
                WorkCompletionOpcode.RECV,
                receipt.present() ? (int) receipt.placedOctets() : 0);
        if (!success) {
            entry.diagnosis(diagnosis);
        }
        MessageRecord record = null;
        if (receipt.present()) {
            entry.source(receipt.source(), receipt.sourceQpn());
            entry.memory(0, 0, receipt.messageLength());
            entry.solicited(receipt.solicited());
            record = receipt.record();
        }
        if (record != null) {
            entry.record(record);
        }
        heldSend.release();
        heldReceive.hold(entry);
    }

    /** {@return false if the completion queue has no entry for the record now} */
    boolean writeRecorded(MessageRecord record) {
        if (!receiveCompletions.reserve()) {
            return false;
        }
        Completion entry = receiveCompletions.claimReserved();
        fill(entry, 0, record.status(), WorkCompletionOpcode.RECV_WRITE_RECORD, saturated(record.validBytes()));
        entry.source(record.source(), record.sourceQpn());
        entry.memory(record.stag(), record.baseOffset(), record.length());
        entry.record(record);
        // No request, so no slot to wait for; earlier completions are published first.
        heldSend.release();
        heldReceive.publish(entry);
        return true;
    }

    /** Publishes the completion of a larger RDMA Read. */
    void wholeCompleted(long id, OperationStatus status, RangeValidity validity, Whole reader) {
        Completion entry = sendCompletions.claimReserved();
        fill(entry, id, status, WorkCompletionOpcode.RDMA_READ, saturated(validity.validBytes()));
        reader.describe(entry);
        if (status != OperationStatus.SUCCESS) {
            entry.validity(validity);
        }
        heldSend.publish(entry);
    }

    /** Delivers published completions to the program's handlers after the current call of the owner. */
    void deliver(Deferring lower) {
        heldSend.deliver(lower);
        heldReceive.deliver(lower);
    }

    /** Publishes the last completions; none may follow. */
    void end() {
        release();
        heldSend.end();
        heldReceive.end();
    }

    /** The slots of completed requests are free: publishes the completions, and continues larger reads. */
    void release() {
        heldSend.release();
        heldReceive.release();
        for (int i = toGoOn.size() - 1; i >= 0; i--) {
            if (!toGoOn.get(i).goOn()) {
                toGoOn.remove(i);
            }
        }
    }
}
