package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.Access;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rdmap.SendOperation.Kind;
import dev.jwarp.rdmap.work.OperationRing;
import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.rnic.memory.RnicMemoryWindow;
import dev.jwarp.rnic.queuepair.WorkQueue;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkRequestOpcode;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a queue pair of type RC: checks work requests and turns them into operations. After an exception,
 * the operation is partly filled and not posted, and nothing else has changed.
 */
final class SendQueue extends WorkQueue<SendWorkRequest> {
    /** RFC 5040 §4.4, RFC 5041 §4.3: message lengths and offsets are numbers of 32 bits. */
    private static final long LONGEST_MESSAGE = 0xffff_ffffL;

    private static final int ATOMIC_LENGTH = 8;

    private final RnicQueuePair queuePair;
    private final QueuePairAttributes attributes;
    private final Completer completer;
    private final RequestMemory local;
    private final OperationRing<SendOperation> operations;

    SendQueue(RnicQueuePair queuePair) {
        super(queuePair.protectionDomain().core().progression());
        this.queuePair = queuePair;
        attributes = queuePair.attributes();
        completer = queuePair.completer();
        local = queuePair.protectionDomain().requestMemory();
        operations = new OperationRing<>(
                attributes.maxSendWorkRequests(),
                () -> new SendOperation(Math.max(1, attributes.maxSendElements()), attributes.maxInlineData()));
    }

    OperationRing<SendOperation> operations() {
        return operations;
    }

    /** Flushes the queue. There must be no connection. Under the locks of both work queues. */
    void flush() {
        completer.flush(operations);
    }

    @Override
    protected void check() {
        QueuePairPhase phase = queuePair.phase();
        if (!phase.takesSends()) {
            queuePair.checkOpen();
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    queuePair + " is in state " + phase + ": sends can be posted once connect or accept was called.");
        }
    }

    @Override
    protected String full() {
        return queuePair.full("send", attributes.maxSendWorkRequests());
    }

    @Override
    protected boolean enqueue(SendWorkRequest request) {
        SendOperation operation = operations.claim();
        if (operation == null) {
            return false;
        }
        RnicMemoryWindow.Binding binding = fill(operation, request);
        if (binding != null) {
            note(binding);
        }
        boolean sends = operation.kind().sends();
        operations.publish();
        completer.counts().sendPosted();
        if (!sends) {
            tellConnection(true);
        }
        return true;
    }

    private void note(RnicMemoryWindow.Binding binding) {
        boolean done = false;
        try {
            completer.bindingPosted(binding);
            done = true;
        } finally {
            if (!done) {
                binding.window().over(binding); // out of memory: the request is not posted
            }
        }
    }

    @Override
    protected void enqueued() {
        if (queuePair.phase() == QueuePairPhase.ERR) {
            try {
                flush();
            } catch (Throwable e) {
                queuePair.notTold(e);
            }
        }
    }

    @Override
    protected void posted() {
        tellConnection(false);
    }

    /** @param local whether a local operation was posted, which need not wait for the lower layer */
    private void tellConnection(boolean local) {
        QueuePairConnection connection = queuePair.connection();
        if (connection != null) {
            try {
                if (local) {
                    connection.postedLocal();
                } else {
                    connection.posted();
                }
            } catch (Throwable e) {
                queuePair.sendNotTold(e);
            }
        }
    }

    // ---- from work requests to operations

    /** Fills {@code operation}; returns its binding, or null if there is none. */
    private RnicMemoryWindow.@Nullable Binding fill(SendOperation operation, SendWorkRequest request) {
        Kind kind = kind(request);
        operation
                .reset(kind, request.id())
                .signaled(request.signaled() || attributes.signalAll())
                .fence(request.fence())
                .solicited(request.solicited());
        if (kind == Kind.SEND || kind == Kind.SEND_WITH_INVALIDATE) {
            source(operation, request);
            operation.invalidateSTag(request.invalidateRkey());
        } else if (kind == Kind.RDMA_WRITE || kind == Kind.RDMA_WRITE_WITH_IMMEDIATE) {
            source(operation, request);
            operation.remote(request.rkey(), request.remoteAddress()).immediate(request.immediate());
        } else {
            return other(operation, request);
        }
        return null;
    }

    private RnicMemoryWindow.@Nullable Binding other(SendOperation operation, SendWorkRequest request) {
        switch (operation.kind()) {
            case RDMA_READ, RDMA_READ_WITH_LOCAL_INVALIDATE -> read(operation, request);
            case IMMEDIATE_DATA -> {
                noElements(request);
                operation.immediate(request.immediate());
            }
            case ATOMIC_FETCH_AND_ADD, ATOMIC_COMPARE_AND_SWAP -> atomic(operation, request);
            case LOCAL_INVALIDATE -> {
                noElements(request);
                operation.invalidateSTag(request.invalidateRkey());
            }
            case BIND_WINDOW -> {
                return bind(operation, request);
            }
            default -> throw new IllegalStateException(operation.kind() + " has been dealt with");
        }
        return null;
    }

    private static Kind kind(SendWorkRequest request) {
        WorkRequestOpcode opcode = request.opcode();
        if (opcode == WorkRequestOpcode.SEND) { // no switch first: CONTRIBUTING, "The data path"
            return Kind.SEND;
        }
        return switch (opcode) {
            case RDMA_WRITE -> Kind.RDMA_WRITE;
            case RDMA_WRITE_WITH_IMM -> Kind.RDMA_WRITE_WITH_IMMEDIATE;
            case SEND -> Kind.SEND;
            case SEND_WITH_INV -> Kind.SEND_WITH_INVALIDATE;
            case IMMEDIATE_DATA -> Kind.IMMEDIATE_DATA;
            case RDMA_READ -> Kind.RDMA_READ;
            case RDMA_READ_WITH_INV -> Kind.RDMA_READ_WITH_LOCAL_INVALIDATE;
            case ATOMIC_CMP_AND_SWP -> Kind.ATOMIC_COMPARE_AND_SWAP;
            case ATOMIC_FETCH_AND_ADD -> Kind.ATOMIC_FETCH_AND_ADD;
            case LOCAL_INV -> Kind.LOCAL_INVALIDATE;
            case BIND_MW -> Kind.BIND_WINDOW;
            case WRITE_RECORD ->
                throw new RdmaException(
                        RdmaErrorCode.NOT_SUPPORTED,
                        RequestMemory.name(request)
                                + ": a Write-Record needs a datagram queue pair; this one has a connection. Use"
                                + " RDMA_WRITE.");
        };
    }

    private void source(SendOperation operation, SendWorkRequest request) {
        local.addPayload(operation.memory(), request, attributes, queuePair);
        checkMessageLength(request, operation.memory().length());
    }

    private void read(SendOperation operation, SendWorkRequest request) {
        RequestMemory.checkNoInline(request);
        // RFC 5040 §4.4: a Read Request names one sink.
        local.addElements(operation.memory(), request, 1, Access.LOCAL_WRITE);
        if (operation.kind() == Kind.RDMA_READ_WITH_LOCAL_INVALIDATE && request.elementCount() == 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    RequestMemory.name(request) + " has no scatter/gather element whose STag could be invalidated.");
        }
        operation.remote(request.rkey(), request.remoteAddress());
    }

    private void atomic(SendOperation operation, SendWorkRequest request) {
        RequestMemory.checkNoInline(request);
        local.addElements(operation.memory(), request, 1, Access.LOCAL_WRITE);
        if (operation.memory().length() != ATOMIC_LENGTH) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    RequestMemory.name(request)
                            + " needs one scatter/gather element of 8 bytes for the old value, not "
                            + operation.memory().length() + " bytes.");
        }
        operation.remote(request.rkey(), request.remoteAddress());
        if (operation.kind() == Kind.ATOMIC_FETCH_AND_ADD) {
            operation.fetchAndAdd(request.compareAdd(), request.compareAddMask());
        } else {
            operation.compareAndSwap(
                    request.compareAdd(), request.compareAddMask(), request.swap(), request.swapMask());
        }
    }

    private RnicMemoryWindow.Binding bind(SendOperation operation, SendWorkRequest request) {
        noElements(request);
        if (!(request.window() instanceof RnicMemoryWindow window)
                || !(request.windowRegion() instanceof RnicMemoryRegion region)
                || window.protectionDomain() != queuePair.protectionDomain()) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    RequestMemory.name(request) + " needs a memory window and a region of the queue pair's "
                            + queuePair.protectionDomain() + ".");
        }
        RnicMemoryWindow.Binding binding =
                window.bind(region, queuePair, request.windowAddress(), request.windowLength(), request.windowAccess());
        operation.bind(binding.buffer(), window.replaced());
        return binding;
    }

    private static void checkMessageLength(SendWorkRequest request, long length) {
        if (length > LONGEST_MESSAGE) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    RequestMemory.name(request) + " has " + length + " bytes; a message has at most " + LONGEST_MESSAGE
                            + ". Split it.");
        }
    }

    private static void noElements(SendWorkRequest request) {
        RequestMemory.checkNoInline(request);
        if (request.elementCount() > 0) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    RequestMemory.name(request) + ": " + request.opcode() + " takes no scatter/gather elements.");
        }
    }
}
