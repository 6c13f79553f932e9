package dev.jwarp.rnic.queuepair;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkRequest;

/**
 * The posting side of a work queue. Posts exclude each other by a lock, or only one thread may post. A queue pair has
 * its work queues in fields whose types are final classes, so that the JIT compiler needs no virtual call.
 *
 * @param <R> type of the work requests
 */
public abstract class WorkQueue<R extends WorkRequest<R>> {
    private final Progression progression;
    private final boolean single;

    /** A queue of the context that {@code progression} drives. */
    protected WorkQueue(Progression progression) {
        this.progression = progression;
        single = progression.single();
    }

    /** Throws if nothing may be posted now. Under the lock of this queue. */
    protected abstract void check();

    /** Checks one request and posts it. Returns false if the queue is full. Under the lock of this queue. */
    protected abstract boolean enqueue(R request);

    /** The requests of one call are posted, except those from a rejected one on. Under the lock of this queue. */
    protected void enqueued() {}

    /** Requests were posted. The lock is not held. */
    protected abstract void posted();

    /** {@return the beginning of the message for a full queue} */
    protected abstract String full();

    /** Posts one request; throws QUEUE_FULL if the queue is full. */
    public final void post(R request) {
        if (!tryPost(request)) {
            throw refusal();
        }
    }

    /** {@return the exception for a full queue} */
    public final RdmaException refusal() {
        return new RdmaException(RdmaErrorCode.QUEUE_FULL, full() + ". Take completions first, then post again.");
    }

    /** {@return false if the queue is full} */
    public final boolean tryPost(R request) {
        boolean did;
        if (single) {
            did = enqueueOne(request);
        } else {
            synchronized (this) {
                did = enqueueOne(request);
            }
        }
        if (did) {
            posted();
        }
        return did;
    }

    private boolean enqueueOne(R request) {
        progression.checkThread();
        check();
        if (!enqueue(RdmaException.requireArgument(request, "request"))) {
            return false;
        }
        enqueued();
        return true;
    }

    /** {@return how many of the first {@code count} requests were posted; fewer if the queue became full} */
    public final int post(R[] requests, int count) {
        ContextCore.checkList(requests, count);
        int done = 0;
        try {
            synchronized (this) { // with a single thread, too, because one lock for a list costs little
                progression.checkThread();
                check();
                try {
                    while (done < count && enqueue(RdmaException.requireArgument(requests[done], "request"))) {
                        done++;
                    }
                } finally {
                    enqueued();
                }
            }
        } catch (RdmaException e) {
            throw ContextCore.refusedAfter(done, e);
        } finally {
            if (done > 0) {
                posted();
            }
        }
        return done;
    }

    /** Runs {@code task} under the locks of both queues. Lock order: send queue, receive queue. */
    public static void withoutPosts(WorkQueue<?> sends, WorkQueue<?> receives, Runnable task) {
        sends.progression.checkThread();
        synchronized (sends) {
            synchronized (receives) {
                task.run();
            }
        }
    }
}
