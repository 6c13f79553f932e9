package dev.jwarp.rnic.connection;

import dev.jwarp.ddp.Access;
import dev.jwarp.ddp.TaggedBuffer;
import dev.jwarp.rdmap.OperationRing;
import dev.jwarp.rdmap.ReceiveSource;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.memory.RequestMemory;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.rnic.memory.WindowBinding;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * The send and the receive queue of a queue pair, from the side of those who post. Posts to one queue exclude each other,
 * for the time of the post only; a change of state that matters to posts holds off both ({@link #exclusively}).
 */
final class WorkQueues {
    private final QueueOwner queuePair;
    private final QueuePairAttributes attributes;
    private final @Nullable RnicSharedReceiveQueue shared;

    // Each is the lock of its own posts; in this order where both are needed.
    private final OperationRing<SendOperation> sends;
    private final ReceiveQueue receives;

    private final Completer completer;
    private final SendFiller sendFiller;
    private final RequestMemory local;

    WorkQueues(
            QueueOwner queuePair,
            RnicProtectionDomain domain,
            QueuePairAttributes attributes,
            @Nullable RnicSharedReceiveQueue shared,
            Completer completer) {
        this.queuePair = queuePair;
        this.attributes = attributes;
        this.shared = shared;
        this.completer = completer;
        sends = new OperationRing<>(
                attributes.maxSendWorkRequests(),
                () -> new SendOperation(Math.max(1, attributes.maxSendElements()), attributes.maxInlineData()));
        receives = new ReceiveQueue(Math.max(1, attributes.maxReceiveWorkRequests()), attributes.maxReceiveElements());
        sendFiller = new SendFiller(queuePair, domain, attributes);
        local = domain.requestMemory();
    }

    OperationRing<SendOperation> sends() {
        return sends;
    }

    ReceiveSource receiveSource() {
        return shared == null ? receives : shared;
    }

    int sendsOutstanding() {
        return sends.size();
    }

    int receivesOutstanding() {
        return receives.outstanding();
    }

    /** Runs {@code task} while no post is under way. */
    void exclusively(Runnable task) {
        synchronized (sends) {
            synchronized (receives) {
                task.run();
            }
        }
    }

    /** Completes everything as flushed. There must be no stream. Exclusively. */
    void flush() {
        if (queuePair.stream() != null) {
            throw new IllegalStateException("the stream of " + queuePair + " completes its requests: a bug of jwarp");
        }
        try {
            completer.flush(sends);
        } finally {
            completer.flush(receives);
        }
    }

    /** {@return false if the queue is full} */
    boolean post(SendWorkRequest request) {
        synchronized (sends) {
            checkSendable();
            if (!enqueue(request)) {
                return false;
            }
            flushSendsIfOver();
        }
        ringDoorbell();
        return true;
    }

    /** {@return how many were posted before the queue was full} */
    int post(SendWorkRequest[] requests, int count) {
        int posted = 0;
        try {
            synchronized (sends) {
                checkSendable();
                try {
                    while (posted < count && enqueue(requests[posted])) {
                        posted++;
                    }
                } finally {
                    flushSendsIfOver(); // also those before the one that is refused
                }
            }
        } catch (RdmaException e) {
            throw ContextCore.refusedAfter(posted, e);
        } finally {
            if (posted > 0) {
                ringDoorbell();
            }
        }
        return posted;
    }

    private void checkSendable() {
        QueuePairPhase phase = queuePair.phase();
        if (!phase.takesSends()) {
            queuePair.checkOpen();
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    queuePair + " is in state " + phase + ": sends can be posted once connect or accept was called.");
        }
    }

    private boolean enqueue(SendWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        SendOperation operation = sends.claim();
        if (operation == null) {
            return false;
        }
        WindowBinding binding = sendFiller.fill(operation, request);
        if (binding != null) {
            posted(binding);
        }
        boolean local = !operation.kind().sends();
        sends.publish();
        completer.counts().sendPosted();
        if (local) {
            postedLocal();
        }
        return true;
    }

    private void postedLocal() {
        PostTarget stream = queuePair.stream();
        if (stream != null) {
            try {
                stream.postedLocal();
            } catch (Throwable e) {
                queuePair.sendNotTold(e);
            }
        }
    }

    private void posted(WindowBinding binding) {
        boolean done = false;
        try {
            completer.bindingPosted(binding);
            done = true;
        } finally {
            if (!done) {
                binding.window().over(binding); // no memory for it: the request is not posted
            }
        }
    }

    private void flushSendsIfOver() {
        if (queuePair.phase() == QueuePairPhase.ERR) {
            try {
                completer.flush(sends);
            } catch (Throwable e) {
                queuePair.notTold(e);
            }
        }
    }

    private void ringDoorbell() {
        PostTarget stream = queuePair.stream();
        if (stream != null) {
            try {
                stream.posted();
            } catch (Throwable e) {
                queuePair.sendNotTold(e);
            }
        }
    }

    /** {@return false if the queue is full} */
    boolean post(ReceiveWorkRequest request) {
        synchronized (receives) {
            checkReceivable();
            if (!enqueue(request)) {
                return false;
            }
            flushReceivesIfOver();
        }
        return true;
    }

    /** {@return how many were posted before the queue was full} */
    int post(ReceiveWorkRequest[] requests, int count) {
        int posted = 0;
        try {
            synchronized (receives) {
                checkReceivable();
                try {
                    while (posted < count && enqueue(requests[posted])) {
                        posted++;
                    }
                } finally {
                    flushReceivesIfOver();
                }
            }
        } catch (RdmaException e) {
            throw ContextCore.refusedAfter(posted, e);
        }
        return posted;
    }

    private void checkReceivable() {
        if (shared != null) {
            queuePair.checkOpen();
            throw shared.takenBy(queuePair);
        }
        if (!queuePair.phase().takesReceives()) {
            queuePair.checkOpen();
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    queuePair + " is in state RESET: move it to INIT before posting receives.");
        }
    }

    private boolean enqueue(ReceiveWorkRequest request) {
        RdmaException.requireArgument(request, "request");
        if (!receives.begin(request.id())) {
            return false;
        }
        int count = RequestMemory.checkCount(request, attributes.maxReceiveElements());
        for (int i = 0; i < count; i++) {
            TaggedBuffer buffer = local.element(request, i, Access.LOCAL_WRITE);
            receives.add(buffer, buffer.position(request.address(i)), request.length(i));
        }
        receives.publish();
        completer.counts().receivePosted();
        return true;
    }

    /** A receive posted in the error state comes back, in order: at once if there is no stream, else by its owner. */
    private void flushReceivesIfOver() {
        if (queuePair.phase().flushes()) {
            PostTarget stream = queuePair.stream();
            try {
                if (stream == null) {
                    completer.flush(receives);
                } else {
                    stream.postedAfterTheEnd();
                }
            } catch (Throwable e) {
                queuePair.notTold(e);
            }
        }
    }
}
