package dev.jwarp.rnic.queuepair;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkRequest;

/**
 * A work queue, from the side of those who post. Posts exclude each other, for the time of the post only. Any thread. A queue pair
 * keeps each of its own in a field of the final class, so that the compiler knows which one it calls.
 *
 * @param <R> what is posted
 */
public abstract class WorkQueue<R extends WorkRequest<R>> {
    /** Throws if nothing may be posted now. No other post is under way. */
    protected abstract void check();

    /** Checks one request and posts it. Answers false if the queue is full. No other post is under way. */
    protected abstract boolean enqueue(R request);

    /** All of one call are posted that can be: the one behind them may have been refused. No other post is under way. */
    protected void enqueued() {}

    /** Something was posted. Others may post meanwhile. */
    protected abstract void posted();

    /** {@return what is full: a sentence to which advice is added} */
    protected abstract String full();

    /** Posts one request; throws QUEUE_FULL if there is no place for it. */
    public final void post(R request) {
        if (!tryPost(request)) {
            throw refusal();
        }
    }

    /** {@return what to throw if it is full} */
    public final RdmaException refusal() {
        return new RdmaException(RdmaErrorCode.QUEUE_FULL, full() + ". Take completions first, then post again.");
    }

    /** {@return false if the queue is full} */
    public final boolean tryPost(R request) {
        synchronized (this) {
            check();
            if (!enqueue(RdmaException.requireArgument(request, "request"))) {
                return false;
            }
            enqueued();
        }
        posted();
        return true;
    }

    /** {@return how many of the first {@code count} requests were posted before the queue was full} */
    public final int post(R[] requests, int count) {
        ContextCore.checkList(requests, count);
        int done = 0;
        try {
            synchronized (this) {
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

    /** Runs {@code task} while no post is under way in either. Whoever needs both takes the send queue first. */
    public static void withoutPosts(WorkQueue<?> sends, WorkQueue<?> receives, Runnable task) {
        synchronized (sends) {
            synchronized (receives) {
                task.run();
            }
        }
    }
}
