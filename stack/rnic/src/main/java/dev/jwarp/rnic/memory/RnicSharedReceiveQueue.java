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
 * A queue of receives for several queue pairs. Queue pairs release receives in any order, so there is a list of free
 * operations beside the queue of posted operations; their sum is at most the capacity. Synchronized, because queue
 * pairs may have different owners.
 */
public final class RnicSharedReceiveQueue implements SharedReceiveQueue, ReceiveSource {
    private final RnicProtectionDomain domain;
    private final int handle;
    private final int capacity;
    private final int maximumElements;
    private final RequestMemory local;
    private final Set<QueuePair> users = ConcurrentHashMap.newKeySet();

    /** Number of users; at least 1, because it is a divisor. */
    private volatile int sharers = 1;

    // Guarded by this.
    private final ArrayDeque<ReceiveOperation> free;
    private final ArrayDeque<ReceiveOperation> posted;
    private int limit;
    private boolean closed;

    /** Takers that found no receive and wait for one; each at most once. */
    private final ArrayDeque<Taker> waiting = new ArrayDeque<>();

    /**
     * Size of {@link #waiting}. Written under the lock, so that a posting thread sees all takers that found no receive
     * before.
     */
    private volatile int waiters;

    /** A consumer of receives that can wait for them. */
    public interface Taker {
        /** Receives are available again, but other takers may be faster. Any thread; cheap. */
        void receivesAgain();

        /** {@return whether this is in the queue's list of waiting takers} Under the lock of the queue. */
        boolean waits();

        /** Sets {@link #waits()}. Under the lock of the queue. */
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
        domain.core().progression().checkThread();
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
     * @param taker {@link Taker#receivesAgain} is called later if there is no receive now; may be null
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
        // SEC-6.4.3.1-1: a peer uses more receives than expected; the counters of the queue pairs show which peer.
        if (reached > 0) {
            try {
                tellLimit();
            } catch (Throwable e) {
                notTold(reached, e); // the receive is removed from the queue and must not be lost
            }
        }
        return operation;
    }

    /** The event for the limit could not be created for lack of memory: the next take tries again. */
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

    /** Wakes all waiting takers: only a taker knows whether its message still waits, and whether the message fits. */
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
        domain.core().progression().checkThread();
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

    /** {@return the number of posted receives} */
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

    /** Removes a taker from the list of waiting takers. */
    public synchronized void removeTaker(Taker taker) {
        if (taker.waits()) {
            taker.waits(false);
            waiting.remove(taker);
            waiters = waiting.size();
        }
    }

    /** {@return an equal share of the receives for each queue pair} */
    public int part() {
        return Math.max(1, capacity / sharers);
    }

    @Override
    public void close() {
        domain.core().progression().checkThread();
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
