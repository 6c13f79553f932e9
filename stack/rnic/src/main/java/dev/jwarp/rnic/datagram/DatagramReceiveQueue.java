package dev.jwarp.rnic.datagram;

import dev.jwarp.rdmap.work.OperationPool;
import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.rnic.queuepair.WorkQueue;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * The receive queue of a datagram queue pair. Each request reserves an entry of the completion queue. The endpoint
 * takes receives on the owner's thread.
 */
final class DatagramReceiveQueue extends WorkQueue<ReceiveWorkRequest> implements ReceiveSource {
    private final RnicDatagramQueuePair queuePair;
    private final DatagramCompleter completer;
    private final RequestMemory local;
    private final OperationPool<ReceiveOperation> operations;
    private final @Nullable SharedReceives shared;

    DatagramReceiveQueue(RnicDatagramQueuePair queuePair) {
        super(queuePair.protectionDomain().core().progression());
        this.queuePair = queuePair;
        completer = queuePair.completer();
        local = queuePair.protectionDomain().requestMemory();
        QueuePairAttributes attributes = queuePair.attributes();
        operations = new OperationPool<>(
                Math.max(1, attributes.maxReceiveWorkRequests()),
                () -> new ReceiveOperation(attributes.maxReceiveElements()));
        RnicSharedReceiveQueue queue = queuePair.shared();
        shared = queue == null
                ? null
                : new SharedReceives(
                        queue, completer.receiveCompletions(), queuePair.type() == QueuePairType.RD, this::posted);
    }

    /** {@return the source of the endpoint's receives} */
    ReceiveSource source() {
        return shared == null ? this : shared;
    }

    /** {@return the number of receives that can be posted for this queue pair; of a shared queue, an equal share} */
    int depth() {
        return shared == null
                ? queuePair.attributes().maxReceiveWorkRequests()
                : shared.queue().part();
    }

    /** {@return this queue pair's view of its shared receive queue; null if there is none} */
    @Nullable
    SharedReceives sharedReceives() {
        return shared;
    }

    int outstanding() {
        return operations.size();
    }

    @Override
    protected void check() {
        queuePair.checkOpen();
        queuePair.checkOwnReceives();
    }

    @Override
    protected boolean enqueue(ReceiveWorkRequest request) {
        ReceiveOperation operation = operations.claim();
        if (operation == null) {
            return false;
        }
        local.fill(operation, request, queuePair.attributes().maxReceiveElements());
        if (!completer.receiveCompletions().reserve()) {
            return false;
        }
        operations.publish();
        completer.counts().receivePosted();
        return true;
    }

    @Override
    protected void posted() {
        queuePair.endpoint().endpoint().receivePosted();
    }

    @Override
    protected String full() {
        return queuePair.full("receive", queuePair.attributes().maxReceiveWorkRequests()) + ", or all entries of "
                + completer.receiveCompletions() + " are reserved";
    }

    @Override
    public @Nullable ReceiveOperation take() {
        return operations.take();
    }

    @Override
    public void release(ReceiveOperation operation) {
        operations.release(operation);
    }

    @Override
    public boolean shared() {
        return false;
    }
}
