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
 * Common part of completion channels and event channels: a FIFO queue of elements that threads take. The channel cannot
 * be closed while it has users. Any thread.
 *
 * @param <E> type of the elements
 */
public abstract class RnicChannel<E> implements Supply<E> {
    private final Progression progression;
    private final Waiters waiters;
    private final String name;
    private final String user;
    private final Consumer<RnicChannel<E>> forget;

    /** Guards itself and {@link #users}. Small at first, because each synchronous connection id has a channel. */
    private final ArrayDeque<E> waiting = new ArrayDeque<>(1);

    private int users;
    private volatile boolean something;
    private volatile boolean closed;

    /**
     * An open channel without users.
     *
     * @param name of the channel, in messages
     * @param user the kind of object that reports to the channel, in messages
     * @param forget called with the channel when it is closed
     */
    protected RnicChannel(Progression progression, String name, String user, Consumer<RnicChannel<E>> forget) {
        this.progression = progression;
        this.name = name;
        this.user = user;
        this.forget = forget;
        waiters = new Waiters();
    }

    /**
     * Appends {@code element}.
     *
     * @param once not if the element is in the queue already
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

    /** Called after an element was appended. The caller may hold any lock. */
    protected void told() {}

    /** Throws if the program must not take elements. */
    protected void checkTaken() {}

    /** Removes {@code element} if it was not taken. */
    protected final void remove(E element) {
        synchronized (waiting) {
            waiting.remove(element);
            something = !waiting.isEmpty();
        }
    }

    /** {@return the matching elements that were not taken; they are removed} */
    protected final List<E> removeIf(Predicate<E> which) {
        List<E> removed = new ArrayList<>();
        synchronized (waiting) {
            waiting.removeIf(element -> which.test(element) && removed.add(element));
            something = !waiting.isEmpty();
        }
        return removed;
    }

    /** {@return whether the program may see {@code element}, which was just taken} No lock is held. */
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

    /** Adds a user; throws CLOSED. */
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

    /** Closes the channel; throws RESOURCE_BUSY if it has users. */
    public final void close() {
        progression.checkThread();
        synchronized (waiting) {
            if (!closed && users > 0) {
                throw new RdmaException(
                        RdmaErrorCode.RESOURCE_BUSY,
                        "The " + name + " is still used by " + users + " " + user + "(s): close them first.");
            }
            closed = true; // addUser throws from now on
        }
        shutDown();
    }

    /** Closes the channel even if it is in use. */
    public final void shutDown() {
        closed = true;
        forget.accept(this);
        progression.signal(this);
    }
}
