package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.OrderedSet;
import dev.jwarp.rnic.core.RnicCounter;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CompletionHandler;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue with a fixed number of entries. An entry goes from {@code free} to a producer (the owner of a
 * stream), through {@code filled} to a consumer, and back. Each kind of queue pair has as many entries as the queue's
 * capacity; the queue overflows when none is free. Producers never wait. {@code filled} has one consumer at a time: a
 * thread that holds a lock, the {@link Delivery} if there is a handler, or the only thread of the context.
 */
public final class RnicCompletionQueue implements CompletionQueue, Waitable {
    /** A queue pair, as its completion queues see it. Any thread. */
    public interface User {
        /** {@return the number of the queue pair} */
        int number();

        /**
         * {@return the largest number of outstanding work requests that report to {@code queue} without a reserved
         * entry}
         */
        int mostOn(RnicCompletionQueue queue);

        /** {@return whether the queue pair reserves an entry for each completion: {@link #reserve}} */
        boolean reserves();

        /** Makes the queue pair fail: the queue lost its completions, or the program's handler threw at them. */
        void failLocally(String reason);

        /** Entries are available again after {@link #reserve} returned false. */
        void roomAgain();
    }

    private static final int DISARMED = 0;
    private static final int ARMED_SOLICITED = 1;
    private static final int ARMED = 2;

    private final CompletionQueues queues;
    private final ContextCore core;
    private final int handle;
    private final int capacity;
    /** Whether one thread alone uses the queue: producer and consumer. */
    private final boolean single;

    private final @Nullable RnicCompletionChannel channel;
    private final MessagePassingQueue<Completion> filled;

    /** Entries for queue pairs that do not reserve; null before the first such queue pair. */
    private @Nullable FreeCompletions free;

    /**
     * Entries for queue pairs that reserve, which other queue pairs do not use; null before the first such queue pair.
     */
    private @Nullable FreeCompletions reserved;

    private final Object consumer = new Object();

    /** Number of reserved entries among those that the last {@link #move} has taken. For the consumer only. */
    private int returned;

    private final Waiters waiters;
    private final AtomicInteger armed = new AtomicInteger(DISARMED);
    private final AtomicBoolean overflowed = new AtomicBoolean();
    private final Set<User> users = OrderedSet.newSet();
    /** Number of entries in {@link #reserved} that can still be reserved. */
    private final AtomicInteger unreserved;

    /** Largest number of outstanding work requests that report to this queue, without shared receives. */
    private final AtomicLong expected = new AtomicLong();

    /** Whether {@link #reserve} returned false since completions were last taken. */
    private volatile boolean refused;

    private volatile boolean closed;

    /** Delivery to the program's handler; null if completions are polled. */
    private volatile @Nullable Delivery delivery;

    RnicCompletionQueue(CompletionQueues queues, int handle, int capacity, @Nullable RnicCompletionChannel channel) {
        this.queues = queues;
        core = queues.core();
        this.handle = handle;
        this.capacity = capacity;
        this.channel = channel;
        this.waiters = new Waiters();
        this.unreserved = new AtomicInteger(capacity);
        // Room for all entries of both kinds, so that an offer always succeeds.
        single = core.progression().single();
        filled = single ? new SpscArrayQueue<>(2 * capacity) : new MpscArrayQueue<>(2 * capacity);
    }

    /**
     * {@return an entry for the producer to fill and to {@link #publish}; null if the queue has overflowed} After an
     * overflow, the producer handles the failure of its own queue pair; this method makes the other queue pairs fail.
     */
    @Nullable
    public Completion claim(int producer) {
        if (!overflowed.get()) {
            Completion entry = present(free).take();
            if (entry != null) {
                return entry;
            }
            overflow(producer);
        }
        core.counters().increment(RnicCounter.COMPLETIONS_LOST);
        return null;
    }

    /**
     * Reserves an entry for a future completion, which {@link #claimReserved} then takes: for queue pairs that must not
     * fail because the program is slow to take completions. Any thread.
     *
     * @return false if all entries are reserved; {@link User#roomAgain} is called later
     */
    public boolean reserve() {
        if (tryReserve()) {
            return true;
        }
        refused = true;
        // A consumer may have freed entries before it could see the flag.
        return tryReserve();
    }

    private boolean tryReserve() {
        int left = unreserved.get();
        while (left > 0) {
            if (unreserved.compareAndSet(left, left - 1)) {
                return true;
            }
            left = unreserved.get();
        }
        return false;
    }

    /** Cancels a reservation. Any thread. */
    public void unreserve() {
        freed(1);
    }

    private void freed(int places) {
        if (places == 0) {
            return; // the usual case: only datagram queue pairs reserve
        }
        unreserved.addAndGet(places);
        if (refused) {
            refused = false;
            OrderedSet.forEach(users, User::roomAgain);
        }
    }

    /** {@return a reserved entry for the producer to fill and to {@link #publish}} */
    public Completion claimReserved() {
        Completion entry = present(reserved).take();
        if (entry == null) {
            throw new IllegalStateException(this + " has no entry for a reservation");
        }
        return entry;
    }

    /** {@return the entries of a producer's kind, which exist since the producer was added} */
    private static FreeCompletions present(@Nullable FreeCompletions entries) {
        return Objects.requireNonNull(entries);
    }

    /** Producer: appends an entry for the consumers. */
    public void publish(Completion entry) {
        boolean solicited = entry.solicited(); // read now: consumers own the entry after the offer
        entry.published();
        filled.offer(entry);
        if (delivery != null) {
            return; // the producer delivers after its call
        }
        try {
            core.progression().signal(this);
            if (channel != null) {
                notifyIfWanted(solicited);
            }
        } catch (Throwable e) {
            // The entry is published: a producer that got this exception would complete the same request once more.
            core.failed("no thread was woken for a completion of " + this, e);
        }
    }

    // ---- the program's handler

    @Override
    public void onCompletion(CompletionHandler handler) {
        core.progression().checkThread();
        RdmaException.requireArgument(handler, "handler");
        throwIfBroken();
        synchronized (consumer) {
            if (delivery != null || channel != null || !users.isEmpty()) {
                String why = delivery != null
                        ? " has a handler already."
                        : channel != null
                                ? " has a completion channel: it tells either that or a handler."
                                : " is used by queue pairs already: give it its handler first.";
                throw new RdmaException(RdmaErrorCode.WRONG_STATE, "Completion queue " + handle + why);
            }
            delivery = new Delivery(core, this, handler);
        }
    }

    /** {@return whether completions go to a handler} */
    boolean delivers() {
        return delivery != null;
    }

    /** Delivers all completions to the handler. Called by the owner of a producer outside all calls, without locks. */
    public void deliver() {
        Delivery current = delivery;
        if (current != null && !closed) {
            current.ask();
        }
    }

    /** Delivers all completions to the handler soon. Any thread, which may hold any lock. */
    public void deliverLater() {
        Delivery current = delivery;
        if (current != null) {
            current.askLater();
        }
    }

    /** The handler threw: makes the queue pairs of the completions passed to the handler fail. Throws nothing. */
    void handlerFailed(WorkCompletion[] completions, int count, Throwable cause) {
        core.failed("the completion handler of a queue threw", cause);
        try {
            String reason = "the completion handler of " + this + " threw " + cause;
            OrderedSet.forEach(users, user -> {
                for (int i = 0; i < count; i++) {
                    if (completions[i].queuePairNumber() == user.number()) {
                        fail(user, reason);
                        break;
                    }
                }
            });
        } catch (Throwable e) { // for example from the message of the program's exception
            core.failed("the queue pairs of a handler that threw could not be ended", e);
        }
    }

    /** {@return whether the queue is closed} */
    boolean isClosed() {
        return closed;
    }

    private void fail(User user, String reason) {
        try {
            user.failLocally(reason);
        } catch (Throwable e) {
            core.failed("queue pair " + user.number() + " could not be ended", e);
        }
    }

    private void checkPolled() {
        core.progression().checkThread();
        if (delivery != null) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "The completions of completion queue " + handle
                            + " go to its handler: they cannot be polled. With inline progress,"
                            + " poll or await of the context drives it.");
        }
    }

    private void notifyIfWanted(boolean solicited) {
        // A thread polls after its request for a notification. Either that poll finds the entry, or this thread finds
        // the request.
        VarHandle.fullFence();
        int wanted = armed.get();
        if (wanted == ARMED || (wanted == ARMED_SOLICITED && solicited)) {
            notifyChannel(wanted);
        }
    }

    private void notifyChannel(int wanted) {
        if (channel != null && armed.compareAndSet(wanted, DISARMED)) {
            channel.notify(this);
        }
    }

    /** {@return the message for an overflow, without a full stop} */
    public String overflowSentence() {
        return this + " overflowed its " + capacity + " entries: make it larger, or take completions sooner";
    }

    /** {@return whether completions were lost, so that the queue pairs fail} */
    public boolean hasOverflowed() {
        return overflowed.get();
    }

    private void overflow(int producer) {
        // SEC-6.4.3.2-1: no completion is lost silently.
        // SEC-6.4.6-1: the queue pairs of this queue fail, no others.
        if (!overflowed.compareAndSet(false, true)) {
            return;
        }
        core.asyncEvents()
                .add(
                        AsyncEventType.CQ_ERR,
                        this,
                        "Completion queue " + handle + " of " + capacity
                                + " entries overflowed: completions are lost and its queue pairs fail. Make it at"
                                + " least as large as the queues that report to it.");
        try {
            OrderedSet.forEach(users, user -> {
                if (user.number() != producer) {
                    user.failLocally(overflowSentence());
                }
            });
        } finally {
            core.progression().signal(this);
            notifyChannel(armed.get());
        }
    }

    @Override
    public int poll(WorkCompletion[] into) {
        checkPolled();
        int taken = take(into);
        if (taken == 0 && core.progression().poll()) {
            taken = take(into);
        }
        if (taken == 0) {
            throwIfBroken();
        }
        return taken;
    }

    @Override
    public int await(WorkCompletion[] into, Duration timeout) {
        checkPolled();
        int taken = take(into);
        if (taken > 0) {
            return taken;
        }
        Progression progression = core.progression();
        long left = Progression.nanos(timeout);
        long deadline = progression.deadline(left);
        // Another consumer may have taken the completions first.
        while (progression.await(this, left)) {
            taken = take(into);
            if (taken > 0) {
                return taken;
            }
            throwIfBroken();
            left = progression.left(deadline);
        }
        return 0;
    }

    private int take(WorkCompletion[] into) {
        if (RdmaException.requireArgument(into, "into").length > 0) {
            RdmaException.requireArgument(into[0], "into[0]"); // null in a new array: use WorkCompletion.array
        }
        if (filled.isEmpty()) {
            return 0;
        }
        if (single) {
            return takeAlone(into);
        }
        int taken;
        int unreserve;
        synchronized (consumer) {
            checkPolled(); // again, because the queue may have got its handler meanwhile
            taken = move(into);
            unreserve = returned;
        }
        freed(unreserve);
        return taken;
    }

    /** {@return the number of taken completions} For the only consumer. */
    int takeAlone(WorkCompletion[] into) {
        int taken = move(into);
        freed(returned);
        return taken;
    }

    private int move(WorkCompletion[] into) {
        int taken = 0;
        returned = 0;
        while (taken < into.length) {
            WorkCompletion target = into[taken];
            Completion entry = target == null ? null : filled.relaxedPoll();
            if (entry == null || target == null) {
                break; // only after into[0] is filled; the next call takes the rest
            }
            entry.copyTo(target, queues);
            taken++;
            returned += entry.home() == reserved ? 1 : 0;
            entry.home().give(entry);
        }
        return taken;
    }

    private void throwIfBroken() {
        if (closed) {
            throw new RdmaException(
                    RdmaErrorCode.CLOSED, "Completion queue " + handle + " is closed: nothing can be taken from it.");
        }
        if (overflowed.get() && filled.isEmpty()) {
            throw new RdmaException(
                    RdmaErrorCode.COMPLETION_QUEUE_OVERFLOW,
                    "Completion queue " + handle + " overflowed its " + capacity
                            + " entries and lost completions. Close its queue pairs, and make it at least as large as"
                            + " the queues that report to it.");
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        core.progression().checkThread();
        if (channel == null) {
            throw new RdmaException(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "Completion queue " + handle
                            + " was created without a completion channel: there is nowhere to notify. Create it with"
                            + " one.");
        }
        throwIfBroken();
        if (solicitedOnly) {
            // A request for any completion stays in force after a later request for solicited completions.
            armed.compareAndSet(DISARMED, ARMED_SOLICITED);
        } else {
            armed.set(ARMED);
        }
    }

    @Override
    public boolean ready() {
        return !filled.isEmpty() || closed || overflowed.get();
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }

    @Override
    public Context context() {
        return core.context();
    }

    @Override
    public int handle() {
        return handle;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public @Nullable RnicCompletionChannel channel() {
        return channel;
    }

    /** {@return the approximate number of completions in the queue} */
    public int waiting() {
        return filled.size();
    }

    /** {@return the number of queue pairs that report to this queue} */
    public int users() {
        return users.size();
    }

    public void addUser(User queuePair) {
        if (users.add(queuePair)) {
            expected.addAndGet(queuePair.mostOn(this));
            prepare(queuePair.reserves());
        }
    }

    /** Creates the entries for queue pairs of that kind, before the first of them. */
    synchronized void prepare(boolean reserves) {
        if (reserves && reserved == null) {
            reserved = new FreeCompletions(capacity, single);
        } else if (!reserves && free == null) {
            free = new FreeCompletions(capacity, single);
        }
    }

    public void removeUser(User queuePair) {
        if (users.remove(queuePair)) {
            expected.addAndGet(-queuePair.mostOn(this));
        }
    }

    /**
     * {@return a warning if more work requests can be outstanding than this queue has entries; otherwise null}
     *
     * @param shared number of receives of a shared receive queue that report to this queue, too
     */
    @Nullable
    public String shortage(int shared) {
        long most = expected.get() + shared;
        return most <= capacity
                ? null
                : this + " has " + capacity + " entries, but " + most
                        + " work requests that report to it can be outstanding: if they complete before the program takes"
                        + " completions, it overflows, and its queue pairs fail. Create it with " + most
                        + " entries, or its queue pairs with shorter queues; a program that has few of its sends"
                        + " reported may leave it so.";
    }

    @Override
    public void close() {
        core.progression().checkThread();
        if (closed) {
            return;
        }
        if (!users.isEmpty()) {
            throw new RdmaException(
                    RdmaErrorCode.RESOURCE_BUSY,
                    "Completion queue " + handle + " is still used by " + users.size()
                            + " queue pair(s): close them first.");
        }
        shutDown();
    }

    /** Closes the queue with its context, even if it is in use. */
    void shutDown() {
        if (closed) {
            return;
        }
        closed = true;
        if (channel != null) {
            channel.forget(this);
        }
        queues.remove(this);
        core.progression().signal(this);
    }

    @Override
    public String toString() {
        return "completion queue " + handle;
    }
}
