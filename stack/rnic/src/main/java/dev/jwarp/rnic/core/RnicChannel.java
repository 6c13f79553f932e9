package dev.jwarp.rnic.core;

import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Supply;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a channel of completion queues and one of connection ids have in common: what is told there waits until a thread
 * takes it, the oldest first, and the channel stays open as long as it has users. Any thread.
 *
 * @param <E> what is told
 */
public abstract class RnicChannel<E> implements Supply<E> {
    private final Progression progression;
    private final Waiters waiters;
    private final String name;
    private final String user;
    private final Consumer<RnicChannel<E>> forget;

    /** Guarded by itself, as the number of users. Short at first: each synchronous connection id has one. */
    private final ArrayDeque<E> waiting = new ArrayDeque<>(1);

    private int users;
    private volatile boolean something;
    private volatile boolean closed;

    /**
     * An open channel without users.
     *
     * @param name in messages
     * @param user what reports to it, in messages
     * @param forget is given the channel when it is closed
     */
    protected RnicChannel(Progression progression, String name, String user, Consumer<RnicChannel<E>> forget) {
        this.progression = progression;
        this.name = name;
        this.user = user;
        this.forget = forget;
        waiters = new Waiters();
    }

    /**
     * Tells {@code element}.
     *
     * @param once not if it waits already
     */
    protected final void add(E element, boolean once) {
        synchronized (waiting) {
            if (!once || !waiting.contains(element)) {
                waiting.add(element);
            }
            something = true;
        }
        progression.signal(this);
        told();
    }

    /** Something was told. Under any lock. */
    protected void told() {}

    /** Throws if what is told cannot be taken by the program. */
    protected void checkTaken() {}

    /** Takes back {@code element} if it was not taken. */
    protected final void remove(E element) {
        synchronized (waiting) {
            waiting.remove(element);
            something = !waiting.isEmpty();
        }
    }

    /** Takes back what was not taken; answers with it. */
    protected final List<E> removeIf(Predicate<E> which) {
        List<E> removed = new ArrayList<>();
        synchronized (waiting) {
            waiting.removeIf(element -> which.test(element) && removed.add(element));
            something = !waiting.isEmpty();
        }
        return removed;
    }

    /** {@return whether the program may have {@code element}, which was just taken} Without a lock. */
    protected boolean taken(E element) {
        return true;
    }

    @Override
    public final @Nullable E take() {
        checkOpen();
        while (something) {
            E element;
            synchronized (waiting) {
                element = waiting.poll();
                something = !waiting.isEmpty();
            }
            if (element == null || taken(element)) {
                return element;
            }
        }
        return null;
    }

    public final @Nullable E poll() {
        checkTaken();
        return progression.pollNext(this);
    }

    public final @Nullable E await(Duration timeout) {
        checkTaken();
        return progression.awaitNext(this, Progression.nanos(timeout));
    }

    @Override
    public final boolean ready() {
        return something || closed;
    }

    @Override
    public final Waiters waiters() {
        return waiters;
    }

    @Override
    public final void checkOpen() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The " + name + " is closed.");
        }
    }

    /** One more reports to it; throws CLOSED. */
    public final void addUser() {
        synchronized (waiting) {
            checkOpen();
            users++;
        }
    }

    public final void removeUser() {
        synchronized (waiting) {
            users--;
        }
    }

    /** Closes it; throws RESOURCE_BUSY if it has users. */
    public final void close() {
        synchronized (waiting) {
            if (!closed && users > 0) {
                throw new RdmaException(
                        RdmaErrorCode.RESOURCE_BUSY,
                        "The " + name + " is still used by " + users + " " + user + "(s): close them first.");
            }
            closed = true; // it gets no user from now on
        }
        shutDown();
    }

    /** Closes it also if it is in use. */
    public final void shutDown() {
        closed = true;
        forget.accept(this);
        progression.signal(this);
    }
}
