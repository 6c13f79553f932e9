package dev.jwarp.rnic.datagram;

import dev.jwarp.ddp.Access;
import dev.jwarp.rdmap.datagram.DatagramOperation;
import dev.jwarp.rdmap.datagram.DatagramOperation.Kind;
import dev.jwarp.rdmap.work.OperationPool;
import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.queuepair.WorkQueue;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkRequestOpcode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of a datagram queue pair: checks work requests and turns them into operations. After an exception, the
 * operation is partly filled and not posted, and nothing else has changed. Each request reserves an entry of the
 * completion queue.
 */
final class DatagramSendQueue extends WorkQueue<SendWorkRequest> {
    private static final long LONGEST_READ = 0xffff_ffffL;
    private static final long LONGEST_GROUP_MESSAGE = 64 << 10;

    private final RnicDatagramQueuePair queuePair;
    private final QueuePairAttributes attributes;
    private final DatagramCompleter completer;
    private final RequestMemory local;
    private final OperationPool<DatagramOperation> operations;

    DatagramSendQueue(RnicDatagramQueuePair queuePair) {
        super(queuePair.protectionDomain().core().progression());
        this.queuePair = queuePair;
        attributes = queuePair.attributes();
        completer = queuePair.completer();
        local = queuePair.protectionDomain().requestMemory();
        int elements = Math.max(1, attributes.maxSendElements());
        operations = new OperationPool<>(
                attributes.maxSendWorkRequests(), () -> new DatagramOperation(elements, attributes.maxInlineData()));
    }

    OperationPool<DatagramOperation> operations() {
        return operations;
    }

    @Override
    protected void check() {
        queuePair.checkOpen();
    }

    @Override
    protected boolean enqueue(SendWorkRequest request) {
        DatagramOperation operation = operations.claim();
        if (operation == null) {
            return false;
        }
        RnicAddressHandle destination = fill(operation, request);
        if (!completer.sendCompletions().reserve()) {
            return false;
        }
        destination.requestPosted();
        operations.publish();
        completer.counts().sendPosted();
        return true;
    }

    @Override
    protected void posted() {
        queuePair.endpoint().endpoint().posted();
    }

    @Override
    protected String full() {
        return queuePair.full("send", attributes.maxSendWorkRequests()) + ", or all entries of "
                + completer.sendCompletions() + " are reserved";
    }

    /** Checks a larger RDMA Read as a whole, and begins it. Returns false if the queue is full. */
    boolean beginBulk(SendWorkRequest whole, RnicAddressHandle destination, DatagramCompleter.Whole reader) {
        synchronized (this) {
            queuePair.checkOpen();
            DatagramOperation operation = operations.claim();
            if (operation == null) {
                return false;
            }
            fillAnyLength(operation, whole);
            if (!completer.sendCompletions().reserve()) {
                return false;
            }
            destination.requestPosted();
            try {
                reader.begin();
            } catch (RdmaException e) {
                destination.requestNotPosted();
                completer.sendCompletions().unreserve();
                throw e;
            }
        }
        posted();
        return true;
    }

    /**
     * Posts an RDMA Read that is a part of a larger read and has no completion of its own. Returns null if the queue is
     * full; otherwise a call of {@link #posted} has to follow.
     *
     * @param reader the larger read
     */
    @Nullable
    DatagramOperation postPart(SendWorkRequest request, DatagramCompleter.Whole reader) {
        synchronized (this) {
            DatagramOperation operation = operations.claim();
            if (operation != null) {
                RnicAddressHandle destination = fill(operation, request);
                destination.requestPosted();
                completer.expectPart(operation, reader);
                operations.publish();
                completer.counts().sendPosted();
            }
            return operation;
        }
    }

    // ---- from work requests to operations

    /** Fills {@code operation}; returns its address handle. */
    private RnicAddressHandle fill(DatagramOperation operation, SendWorkRequest request) {
        RnicAddressHandle destination = fillAnyLength(operation, request);
        if (operation.memory().length() > queuePair.datagramAttributes().maxMessage()) {
            throw refused(
                    request,
                    "it has " + operation.memory().length() + " bytes; a message of " + queuePair + " has at most "
                            + queuePair.datagramAttributes().maxMessage()
                            + ": split it, or create the queue pair with a larger maxMessage");
        }
        return destination;
    }

    /** The same without a limit of the length. */
    private RnicAddressHandle fillAnyLength(DatagramOperation operation, SendWorkRequest request) {
        Kind kind = kind(request);
        RnicAddressHandle destination = destination(request);
        operation
                .reset(kind, request.id(), destination.destination())
                .signaled(request.signaled() || attributes.signalAll())
                .solicited(request.solicited());
        if (request.fence()) {
            throw refused(request, "fence has no meaning for datagrams: wait for the completions of the Reads");
        }
        if (kind == Kind.RDMA_READ) {
            read(operation, request);
        } else {
            local.addPayload(operation.memory(), request, attributes, queuePair);
        }
        operation.remote(request.rkey(), request.remoteAddress());
        if (destination.group()) {
            checkGroup(operation, request);
        }
        return destination;
    }

    private Kind kind(SendWorkRequest request) {
        boolean reliable = queuePair.type() == QueuePairType.RD;
        if (reliable && request.opcode() == WorkRequestOpcode.RDMA_WRITE) {
            return Kind.RDMA_WRITE;
        }
        return switch (request.opcode()) {
            case SEND -> Kind.SEND;
            case WRITE_RECORD -> Kind.WRITE_RECORD;
            case RDMA_READ -> Kind.RDMA_READ;
            default ->
                throw new RdmaException(
                        RdmaErrorCode.NOT_SUPPORTED,
                        RequestMemory.name(request) + ": " + queuePair + " has no " + request.opcode()
                                + ", but SEND, WRITE_RECORD, RDMA_READ" + (reliable ? " and RDMA_WRITE." : "."));
        };
    }

    private RnicAddressHandle destination(SendWorkRequest request) {
        if (!(request.destination() instanceof RnicAddressHandle handle)
                || handle.queuePair() != queuePair
                || handle.closed()) {
            throw refused(
                    request,
                    request.destination() == null
                            ? "it has no destination: set destination to an address handle"
                            : "its address handle is closed, or of another queue pair");
        }
        return handle;
    }

    private void read(DatagramOperation operation, SendWorkRequest request) {
        RequestMemory.checkNoInline(request);
        local.addElements(operation.memory(), request, attributes.maxSendElements(), Access.LOCAL_WRITE);
        long length = operation.memory().length();
        if (length > LONGEST_READ) {
            throw refused(request, "it reads " + length + " bytes, at most " + LONGEST_READ + ": split it");
        }
        Duration patience = request.timeout();
        if (patience != null) { // otherwise the queue pair's time-outs apply
            operation.deadlineNanos(Math.max(1, Progression.nanos(patience)));
        }
    }

    private static void checkGroup(DatagramOperation operation, SendWorkRequest request) {
        if (operation.kind() != Kind.SEND && operation.kind() != Kind.WRITE_RECORD) {
            throw refused(request, "a group takes Sends and Write-Records only");
        }
        if (operation.memory().length() > LONGEST_GROUP_MESSAGE) {
            throw refused(
                    request,
                    "it has " + operation.memory().length() + " bytes; a message to a group has at most "
                            + LONGEST_GROUP_MESSAGE);
        }
    }

    private static RdmaException refused(SendWorkRequest request, String why) {
        return new RdmaException(RdmaErrorCode.INVALID_ARGUMENT, RequestMemory.name(request) + ": " + why + ".");
    }
}
