package dev.jwarp.rnic.datagram;

import dev.jwarp.rdmap.ReceiveOperation;
import dev.jwarp.rdmap.ReceiveSource;
import dev.jwarp.rdmap.datagram.DatagramOperation;
import dev.jwarp.rdmap.datagram.OperationPool;
import dev.jwarp.rnic.completion.RnicCompletionQueue;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * The send and the receive queue of a datagram queue pair, from the side of those who post. Posts to one queue exclude each
 * other, for the time of the post only. Each sets a place in the completion queue aside.
 */
final class DatagramWorkQueues implements ReceiveSource {
    private final DatagramQueueOwner queuePair;
    private final QueuePairAttributes attributes;
    private final OperationPool<DatagramOperation> sends;
    private final OperationPool<ReceiveOperation> receives;
    private final DatagramCompleter completer;
    private final DatagramFiller filler;
    private final RequestMemory local;
    private final @Nullable SharedReceives shared;

    /** In this order where both are needed. */
    private final Object sendLock = new Object();

    private final Object receiveLock = new Object();

    DatagramWorkQueues(
            DatagramQueueOwner queuePair,
            RnicProtectionDomain domain,
            @Nullable RnicSharedReceiveQueue shared,
            DatagramCompleter completer) {
        this.queuePair = queuePair;
        this.shared = shared == null
                ? null
                : new SharedReceives(
                        shared,
                        completer.receiveCompletions(),
                        queuePair.type() == QueuePairType.RD,
                        queuePair::receivesPosted);
        this.completer = completer;
        attributes = queuePair.attributes();
        int elements = Math.max(1, attributes.maxSendElements());
        sends = new OperationPool<>(
                attributes.maxSendWorkRequests(), () -> new DatagramOperation(elements, attributes.maxInlineData()));
        receives = new OperationPool<>(
                Math.max(1, attributes.maxReceiveWorkRequests()),
                () -> new ReceiveOperation(attributes.maxReceiveElements()));
        filler = new DatagramFiller(queuePair, domain);
        local = domain.requestMemory();
    }

    OperationPool<DatagramOperation> sends() {
        return sends;
    }

    /** {@return where the endpoint takes its receives from} */
    ReceiveSource receiveSource() {
        return shared == null ? this : shared;
    }

    /** {@return how many receives can be posted for this queue pair: those of a shared queue are divided among its users} */
    int receiveDepth() {
        return shared == null
                ? attributes.maxReceiveWorkRequests()
                : shared.queue().part();
    }

    /** {@return how it sees the receives that it shares; null if it has its own} */
    @Nullable
    SharedReceives sharedReceives() {
        return shared;
    }

    int sendsOutstanding() {
        return sends.size();
    }

    int receivesOutstanding() {
        return receives.size();
    }

    /** Runs {@code task} while no thread posts. */
    void exclusively(Runnable task) {
        synchronized (sendLock) {
            synchronized (receiveLock) {
                task.run();
            }
        }
    }

    /** {@return what to throw if the send queue is full} */
    RdmaException sendsFull() {
        return full("send", attributes.maxSendWorkRequests(), completer.sendCompletions());
    }

    /** {@return what to throw if the receive queue is full} */
    RdmaException receivesFull() {
        return full("receive", attributes.maxReceiveWorkRequests(), completer.receiveCompletions());
    }

    private RdmaException full(String queue, int limit, RnicCompletionQueue completions) {
        return new RdmaException(
                RdmaErrorCode.QUEUE_FULL,
                "The " + queue + " queue of " + queuePair + " is full: all its " + limit
                        + " work requests are outstanding, or all places of " + completions
                        + " are set aside. Take completions first, then post again.");
    }

    // ---- the endpoint takes receives; owner

    @Override
    public @Nullable ReceiveOperation take() {
        return receives.take();
    }

    @Override
    public void release(ReceiveOperation operation) {
        receives.release(operation);
    }

    @Override
    public boolean shared() {
        return false;
    }

    // ---- posting; any thread

    /** {@return false if the queue is full} */
    boolean post(SendWorkRequest request) {
        synchronized (sendLock) {
            queuePair.checkOpen();
            if (!enqueue(request)) {
                return false;
            }
        }
        queuePair.sendsPosted();
        return true;
    }

    /** {@return how many were posted before the queue was full} */
    int post(SendWorkRequest[] requests, int count) {
        int posted = 0;
        try {
            synchronized (sendLock) {
                queuePair.checkOpen();
                while (posted < count && enqueue(requests[posted])) {
                    posted++;
                }
            }
        } catch (RdmaException e) {
            throw ContextCore.refusedAfter(posted, e);
        } finally {
            if (posted > 0) {
                queuePair.sendsPosted();
            }
        }
        return posted;
    }

    private boolean enqueue(SendWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        DatagramOperation operation = sends.claim();
        if (operation == null) {
            return false;
        }
        RnicAddressHandle destination = filler.fill(operation, request);
        if (!completer.sendCompletions().reserve()) {
            return false;
        }
        destination.requestPosted();
        sends.publish();
        completer.counts().sendPosted();
        return true;
    }

    /** Begins a larger RDMA Read, checked as a whole. Answers false if the queue is full. */
    boolean beginBulk(SendWorkRequest whole, RnicAddressHandle destination, DatagramCompleter.Whole reader) {
        synchronized (sendLock) {
            queuePair.checkOpen();
            DatagramOperation operation = sends.claim();
            if (operation == null) {
                return false;
            }
            filler.fillAnyLength(operation, whole);
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
        queuePair.sendsPosted();
        return true;
    }

    /**
     * Posts an RDMA Read that is a part of a larger one, and has no completion of its own. Answers with null if the queue is
     * full; {@link DatagramQueueOwner#sendsPosted} has to follow.
     *
     * @param reader of the larger one
     */
    @Nullable
    DatagramOperation postPart(SendWorkRequest request, DatagramCompleter.Whole reader) {
        synchronized (sendLock) {
            DatagramOperation operation = sends.claim();
            if (operation != null) {
                RnicAddressHandle destination = filler.fill(operation, request);
                destination.requestPosted();
                completer.expectPart(operation, reader);
                sends.publish();
                completer.counts().sendPosted();
            }
            return operation;
        }
    }

    /** {@return false if the queue is full} */
    boolean post(ReceiveWorkRequest request) {
        synchronized (receiveLock) {
            checkReceivable();
            if (!enqueue(request)) {
                return false;
            }
        }
        queuePair.receivesPosted();
        return true;
    }

    /** {@return how many were posted before the queue was full} */
    int post(ReceiveWorkRequest[] requests, int count) {
        int posted = 0;
        try {
            synchronized (receiveLock) {
                checkReceivable();
                while (posted < count && enqueue(requests[posted])) {
                    posted++;
                }
            }
        } catch (RdmaException e) {
            throw ContextCore.refusedAfter(posted, e);
        } finally {
            if (posted > 0) {
                queuePair.receivesPosted();
            }
        }
        return posted;
    }

    private void checkReceivable() {
        queuePair.checkOpen();
        if (shared != null) {
            throw shared.queue().takenBy(queuePair);
        }
    }

    private boolean enqueue(ReceiveWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        ReceiveOperation operation = receives.claim();
        if (operation == null) {
            return false;
        }
        local.fill(operation, request, attributes.maxReceiveElements());
        if (!completer.receiveCompletions().reserve()) {
            return false;
        }
        receives.publish();
        completer.counts().receivePosted();
        return true;
    }
}
