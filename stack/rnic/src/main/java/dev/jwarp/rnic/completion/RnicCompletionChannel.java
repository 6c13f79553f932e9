package dev.jwarp.rnic.completion;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Completion queues that have something, in the order they got it. A queue that is added twice before it is taken
 * is there once: the thread that takes it polls it empty anyway.
 */
public final class RnicCompletionChannel implements CompletionChannel, Waitable {
    private final ContextCore core;
    private final Consumer<RnicCompletionChannel> forget;
    private final Waiters waiters;
    private final ArrayDeque<RnicCompletionQueue> notified = new ArrayDeque<>();
    private int users;
    private volatile boolean something;
    private volatile boolean closed;

    /** @param forget is given the channel when it is closed */
    RnicCompletionChannel(ContextCore core, Consumer<RnicCompletionChannel> forget) {
        this.core = core;
        this.forget = forget;
        this.waiters = core.progression().newWaiters();
    }

    void notify(RnicCompletionQueue queue) {
        synchronized (notified) {
            if (!notified.contains(queue)) {
                notified.add(queue);
            }
            something = true;
        }
        core.progression().signal(this);
    }

    @Override
    public @Nullable CompletionQueue poll() {
        CompletionQueue queue = take();
        if (queue == null && core.progression().poll()) {
            queue = take();
        }
        return queue;
    }

    @Override
    public @Nullable CompletionQueue await(Duration timeout) {
        Progression progression = core.progression();
        long limit = Progression.nanos(timeout);
        long start = progression.now();
        long left = limit;
        while (progression.await(this, left)) {
            CompletionQueue queue = take();
            if (queue != null) {
                return queue;
            }
            left = limit - (progression.now() - start);
        }
        return null;
    }

    private @Nullable CompletionQueue take() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The completion channel is closed.");
        }
        if (!something) {
            return null;
        }
        synchronized (notified) {
            CompletionQueue queue = notified.poll();
            something = !notified.isEmpty();
            return queue;
        }
    }

    @Override
    public boolean ready() {
        return something || closed;
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }

    /** A completion queue of this channel is made. */
    void addUser() {
        synchronized (notified) {
            if (closed) {
                throw ContextCore.foreign("completion channel");
            }
            users++;
        }
    }

    /** A completion queue of this channel is closed. */
    void forget(RnicCompletionQueue queue) {
        synchronized (notified) {
            users--;
            notified.remove(queue);
            something = !notified.isEmpty();
        }
    }

    @Override
    public void close() {
        synchronized (notified) {
            if (!closed && users > 0) {
                throw new RdmaException(
                        RdmaErrorCode.RESOURCE_BUSY,
                        "The completion channel is still used by " + users + " completion queue(s): close them first.");
            }
            closed = true; // no queue uses it from now on
        }
        forget.accept(this);
        shutDown();
    }

    /** Closes it also if it is in use: its context ends. */
    void shutDown() {
        closed = true;
        core.progression().signal(this);
    }
}
