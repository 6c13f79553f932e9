package dev.jwarp.rnic.connection;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.ReceiveDetails;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.memory.RnicMemoryWindow;
import dev.jwarp.rnic.queuepair.QueuePairCompleter;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Turns finished operations of one queue pair into completions. While there is a stream, its {@link StreamCompleter}
 * calls this class on the owner's thread. Without a stream, a thread with the queue pair's locks flushes the queues.
 */
public final class Completer extends QueuePairCompleter {
    /** Bindings by STag. Boxing is acceptable, because bindings are rare and most queue pairs never have one. */
    private volatile Map<Integer, RnicMemoryWindow.Binding> bindings = Map.of();

    private volatile @Nullable String diagnosis;
    private boolean sendFailed;

    Completer(int queuePairNumber, RnicCompletionQueue sendCompletions, RnicCompletionQueue receiveCompletions) {
        super(queuePairNumber, sendCompletions, receiveCompletions);
    }

    private static WorkCompletionOpcode opcode(SendOperation.Kind kind) {
        return switch (kind) {
            case SEND, SEND_WITH_INVALIDATE, IMMEDIATE_DATA -> WorkCompletionOpcode.SEND;
            case RDMA_WRITE, RDMA_WRITE_WITH_IMMEDIATE -> WorkCompletionOpcode.RDMA_WRITE;
            case RDMA_READ, RDMA_READ_WITH_LOCAL_INVALIDATE -> WorkCompletionOpcode.RDMA_READ;
            case ATOMIC_FETCH_AND_ADD -> WorkCompletionOpcode.FETCH_ADD;
            case ATOMIC_COMPARE_AND_SWAP -> WorkCompletionOpcode.COMP_SWAP;
            case LOCAL_INVALIDATE -> WorkCompletionOpcode.LOCAL_INV;
            case BIND_WINDOW -> WorkCompletionOpcode.BIND_MW;
        };
    }

    /** {@return the reason for the end of the stream; null before the end, and after an orderly end} */
    @Nullable
    String diagnosis() {
        return diagnosis;
    }

    /** Sets the diagnosis of later failures. Only the first call counts. */
    void explain(String text) {
        if (diagnosis == null) {
            diagnosis = text;
        }
    }

    /** Resets the object with the queue pair. */
    void reset() {
        diagnosis = null;
        sendFailed = false;
    }

    /** Adds a binding whose work request is being posted. Under the send queue's lock. */
    void bindingPosted(RnicMemoryWindow.Binding binding) {
        if (bindings.isEmpty() && !(bindings instanceof ConcurrentHashMap)) {
            bindings = new ConcurrentHashMap<>();
        }
        bindings.put(binding.buffer().stag(), binding);
        if (!binding.buffer().valid()) {
            bindingEnded(binding.buffer().stag()); // the window was closed before the binding was added
        }
    }

    /** Removes a binding that has ended for any reason, so that old bindings do not accumulate. */
    void bindingEnded(int stag) {
        if (!bindings.isEmpty()) {
            bindings.remove(stag);
        }
    }

    /** {@return the number of bindings that are in force or in the send queue} */
    int bindings() {
        return bindings.size();
    }

    /**
     * {@return the completion of a send, to be published; null if the program wants no completion, or if the completion
     * queue has overflowed} After a failure, all later sends are reported as flushed, even successful ones: Sends after
     * an unanswered Read may have been sent (RFC 5041 §6.2.1), but a program takes the first failure as the end of its
     * queue.
     */
    @Nullable
    Completion sendCompleted(SendOperation operation, OperationStatus outcome) {
        OperationStatus status =
                sendFailed && outcome == OperationStatus.SUCCESS ? OperationStatus.WR_FLUSH_ERR : outcome;
        boolean success = status == OperationStatus.SUCCESS;
        sendFailed = !success;
        if (operation.kind() == SendOperation.Kind.BIND_WINDOW) {
            bindingCompleted(operation, outcome == OperationStatus.SUCCESS);
        }
        if (success) {
            counts.sendCompleted();
            if (!operation.signaled()) {
                return null;
            }
        }
        Completion entry = sendCompletions.claim(queuePairNumber());
        if (!success) {
            counts.sendFailed();
        }
        if (entry != null) {
            boolean moved = success && operation.kind().awaitsResponse();
            fill(
                    entry,
                    operation.workRequestId(),
                    status,
                    opcode(operation.kind()),
                    moved ? (int) operation.memory().length() : 0);
            if (!success) {
                entry.diagnosis(diagnosis);
            }
        }
        return entry;
    }

    private void bindingCompleted(SendOperation operation, boolean success) {
        RnicMemoryWindow.Binding binding = operation.window() == null
                ? null
                : bindings.get(operation.window().stag());
        if (binding != null && success) {
            binding.window().carriedOut(binding);
        } else if (binding != null) {
            binding.window().over(binding);
        }
    }

    /** {@return the completion of a receive, to be published; null if the completion queue has overflowed} */
    @Nullable
    Completion receiveCompleted(ReceiveOperation operation, ReceiveDetails details) {
        counts.receiveCompleted(details.byteLength());
        Completion entry = receiveCompletions.claim(queuePairNumber());
        if (entry == null) {
            return null;
        }
        boolean immediate = details.kind() == ReceiveDetails.Kind.IMMEDIATE_DATA;
        fill(
                entry,
                operation.workRequestId(),
                OperationStatus.SUCCESS,
                immediate ? WorkCompletionOpcode.RECV_RDMA_WITH_IMM : WorkCompletionOpcode.RECV,
                details.byteLength());
        if (immediate) {
            entry.immediateData(details.immediate());
        }
        if (details.invalidated()) {
            entry.invalidatedKey(details.invalidatedSTag());
        }
        entry.solicited(details.solicited());
        return entry;
    }

    /**
     * {@return the completion of a receive without a message, to be published; null if the completion queue has
     * overflowed}
     */
    @Nullable
    Completion receiveFailed(ReceiveOperation operation, OperationStatus status) {
        Completion entry = receiveCompletions.claim(queuePairNumber());
        counts.receiveFailed();
        if (entry != null) {
            fill(entry, operation.workRequestId(), status, WorkCompletionOpcode.RECV, 0);
            entry.diagnosis(diagnosis);
        }
        return entry;
    }

    /** Completes everything in the queue as flushed. There must be no stream that uses it. Under the queue's lock. */
    void flush(OperationRing<SendOperation> sends) {
        try {
            for (long next = sends.released(); next < sends.published(); next++) {
                SendOperation operation = sends.at(next);
                Completion entry = sendCompleted(operation, OperationStatus.WR_FLUSH_ERR);
                operation.memory().clear();
                sends.release(next);
                publish(entry, sendCompletions);
            }
        } finally {
            sendCompletions.deliverLater();
        }
    }

    /** Completes everything in the queue as flushed. There must be no stream that uses it. Under the queue's lock. */
    void flush(ReceiveQueue receives) {
        try {
            for (ReceiveOperation operation = receives.take(); operation != null; operation = receives.take()) {
                Completion entry = receiveFailed(operation, OperationStatus.WR_FLUSH_ERR);
                operation.memory().clear();
                receives.release(operation);
                publish(entry, receiveCompletions);
            }
        } finally {
            receiveCompletions.deliverLater();
        }
    }

    /** Publishes a completion, whose work request's slot is free by now. */
    private static void publish(@Nullable Completion entry, RnicCompletionQueue queue) {
        if (entry != null) {
            queue.publish(entry);
        }
    }

    /** Ends all bindings after the end of the queue pair's connection. */
    void endBindings() {
        for (RnicMemoryWindow.Binding binding : bindings.values()) {
            binding.window().over(binding);
        }
    }
}
