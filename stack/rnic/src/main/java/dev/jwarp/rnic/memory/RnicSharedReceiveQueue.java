package dev.jwarp.rnic.memory;

import dev.jwarp.rdmap.work.ReceiveOperation;
import dev.jwarp.rdmap.work.ReceiveSource;
import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Receives that several queue pairs take from. They give them back in any order, so there is a list of free operations next to
 * the queue of posted ones; as many in all as the capacity. Synchronized: queue pairs may have different owners.
 */
public final class RnicSharedReceiveQueue implements SharedReceiveQueue, ReceiveSource {
    private final RnicProtectionDomain domain;
    private final int handle;
    private final int capacity;
    private final int maximumElements;
    private final RequestMemory local;
    private final Set<QueuePair> users = ConcurrentHashMap.newKeySet();

    /** How many users there are, at least 1, as it is a divisor. */
    private volatile int sharers = 1;

    // Guarded by this.
    private final ArrayDeque<ReceiveOperation> free;
    private final ArrayDeque<ReceiveOperation> posted;
    private int limit;
    private boolean closed;

    /** Those that found nothing and whose peers can wait: each once. */
    private final ArrayDeque<Taker> waiting = new ArrayDeque<>();

    /** How many these are; written under the lock, so that a thread that posts sees those that found nothing before. */
    private volatile int waiters;

    /** One that takes receives, and can wait for them. */
    public interface Taker {
        /** There are receives again, for the first one that asks. Any thread; cheap. */
        void receivesAgain();

        /** {@return whether it is among those that the queue wakes} Under the lock of the queue. */
        boolean waits();

        /** Under the lock of the queue. */
        void waits(boolean waiting);
    }

    RnicSharedReceiveQueue(RnicProtectionDomain domain, int handle, int capacity, int maximumElements) {
        this.domain = domain;
        this.handle = handle;
        this.capacity = capacity;
        this.maximumElements = maximumElements;
        this.local = domain.requestMemory();
        free = new ArrayDeque<>(capacity + 1);
        posted = new ArrayDeque<>(capacity + 1);
        for (int i = 0; i < capacity; i++) {
            free.add(new ReceiveOperation(maximumElements));
        }
    }

    @Override
    public void postReceive(ReceiveWorkRequest request) {
        if (!post(request)) {
            throw new RdmaException(
                    RdmaErrorCode.QUEUE_FULL,
                    this + " is full: all its " + capacity + " receives are outstanding. Take completions first.");
        }
        domain.core().counters().increment(RnicCounter.RECEIVES_POSTED);
        wake();
    }

    @Override
    public int postReceive(ReceiveWorkRequest[] requests, int count) {
        ContextCore.checkList(requests, count);
        int posts = 0;
        try {
            while (posts < count && post(requests[posts])) {
                posts++;
            }
        } catch (RdmaException e) {
            throw ContextCore.refusedAfter(posts, e);
        } finally {
            domain.core().counters().add(RnicCounter.RECEIVES_POSTED, posts);
            if (posts > 0) {
                wake();
            }
        }
        return posts;
    }

    private synchronized boolean post(ReceiveWorkRequest request) {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, this + " is closed.");
        }
        RdmaException.requireArgument(request, "request");
        ReceiveOperation operation = free.peekLast();
        if (operation == null) {
            return false;
        }
        local.fill(operation, request, maximumElements);
        free.removeLast();
        posted.addLast(operation);
        return true;
    }

    @Override
    public @Nullable ReceiveOperation take() {
        return take(null);
    }

    /**
     * As {@link #take()}.
     *
     * @param taker is told when there are receives again, if it gets none now; may be null
     */
    @Nullable
    public ReceiveOperation take(@Nullable Taker taker) {
        int reached = 0;
        ReceiveOperation operation;
        synchronized (this) {
            operation = posted.pollFirst();
            if (operation != null && posted.size() < limit) {
                reached = limit;
                limit = 0;
            }
            if (operation == null && taker != null && !taker.waits()) {
                taker.waits(true);
                waiting.addLast(taker);
                waiters = waiting.size();
            }
        }
        // SEC-6.4.3.1-1: a peer takes more than was expected; the counts of the queue pairs say which one.
        if (reached > 0) {
            try {
                tellLimit();
            } catch (Throwable e) {
                notTold(reached, e); // the receive is taken: it must not be lost
            }
        }
        return operation;
    }

    /** There was no memory to tell that the limit was reached: the next receive that is taken tells it. */
    private void notTold(int reached, Throwable e) {
        synchronized (this) {
            limit = limit == 0 ? reached : limit;
        }
        domain.core().failed("the event for the limit of a shared receive queue could not be given", e);
    }

    @Override
    public synchronized void release(ReceiveOperation operation) {
        operation.memory().clear();
        free.addLast(operation);
    }

    @Override
    public void putBack(ReceiveOperation operation) {
        synchronized (this) {
            posted.addFirst(operation);
        }
        wake();
    }

    /** All that found nothing try again: only they know whether they still have a message, and whether it fits. */
    private void wake() {
        for (int i = waiters; i > 0; i--) {
            Taker next;
            synchronized (this) {
                next = waiting.pollFirst();
                if (next == null) {
                    return;
                }
                next.waits(false);
                waiters = waiting.size();
            }
            next.receivesAgain();
        }
    }

    @Override
    public boolean shared() {
        return true;
    }

    private void tellLimit() {
        domain.core()
                .asyncEvents()
                .add(AsyncEventType.SRQ_LIMIT_REACHED, this, this + " has fewer receives left than its limit.");
    }

    @Override
    public void armLimit(int receives) {
        if (receives < 0 || receives > capacity) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "The limit of " + this + " is 0 to " + capacity + ", not " + receives + ".");
        }
        boolean already;
        synchronized (this) {
            already = posted.size() < receives;
            limit = already ? 0 : receives;
        }
        if (already) {
            tellLimit();
        }
    }

    @Override
    public synchronized int limit() {
        return limit;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** {@return how many receives are posted} */
    public synchronized int posted() {
        return posted.size();
    }

    public synchronized void addUser(QueuePair queuePair) {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, this + " is closed.");
        }
        users.add(queuePair);
        sharers = Math.max(1, users.size());
    }

    public synchronized void removeUser(QueuePair queuePair) {
        users.remove(queuePair);
        sharers = Math.max(1, users.size());
    }

    /** A queue pair takes nothing more. */
    public synchronized void removeTaker(Taker taker) {
        if (taker.waits()) {
            taker.waits(false);
            waiting.remove(taker);
            waiters = waiting.size();
        }
    }

    /** {@return the part of one queue pair, if all that share it had the same} */
    public int part() {
        return Math.max(1, capacity / sharers);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!users.isEmpty()) {
                throw new RdmaException(
                        RdmaErrorCode.RESOURCE_BUSY,
                        this + " is still used by " + users.size() + " queue pair(s): close them first.");
            }
            closed = true;
            posted.clear();
        }
        domain.forget(this);
    }

    @Override
    public String toString() {
        return "shared receive queue " + handle;
    }
}
