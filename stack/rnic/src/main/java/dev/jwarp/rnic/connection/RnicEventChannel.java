package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events of connection ids in the order they happened. Its length is bounded: an id has a handful of events in its life,
 * and a listener's requests are limited by its backlog. A synchronous id has one to itself.
 */
public final class RnicEventChannel implements CmEventChannel, Waitable {
    private final ContextCore core;
    private final Consumer<RnicEventChannel> forget;
    private final Waiters waiters;
    private final ArrayDeque<CmEvent> events = new ArrayDeque<>();
    private int users;
    private volatile boolean something;
    private volatile boolean closed;

    /** What an event tells of and one alone may have: a request. */
    interface Takeable {
        /** It is taken. Answers true the first time. */
        boolean take();
    }

    /** @param forget is given the channel when it is closed */
    RnicEventChannel(ContextCore core, Consumer<RnicEventChannel> forget) {
        this.core = core;
        this.forget = forget;
        this.waiters = core.progression().newWaiters();
    }

    void add(CmEvent event) {
        synchronized (events) {
            events.add(event);
            something = true;
        }
        core.progression().signal(this);
    }

    /** {@return the events of {@code id}, requests to it included, that were not taken; they leave the channel} */
    List<CmEvent> remove(CmId id) {
        List<CmEvent> removed = new ArrayList<>();
        synchronized (events) {
            for (CmEvent event : events) {
                if (event.id() == id || event.listenId() == id) {
                    removed.add(event);
                }
            }
            events.removeAll(removed);
            something = !events.isEmpty();
        }
        return removed;
    }

    @Override
    public @Nullable CmEvent poll() {
        CmEvent event = take();
        if (event == null && core.progression().poll()) {
            event = take();
        }
        return event;
    }

    @Override
    public @Nullable CmEvent await(Duration timeout) {
        return await(Progression.nanos(timeout));
    }

    @Nullable
    CmEvent await(long limit) {
        Progression progression = core.progression();
        long start = progression.now();
        long left = limit;
        while (progression.await(this, left)) {
            CmEvent event = take();
            if (event != null) {
                return event;
            }
            left = limit - (progression.now() - start);
        }
        return null;
    }

    private @Nullable CmEvent take() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The event channel, or its connection id, is closed.");
        }
        if (!something) {
            return null;
        }
        CmEvent event;
        do {
            synchronized (events) {
                event = events.poll();
                something = !events.isEmpty();
            }
        } while (event != null && gone(event));
        return event;
    }

    /** {@return true for a request that failed just before it was taken} */
    private static boolean gone(CmEvent event) {
        return event.type() == CmEventType.CONNECT_REQUEST && event.id() instanceof Takeable request && !request.take();
    }

    @Override
    public boolean ready() {
        return something || closed;
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }

    void addUser() {
        synchronized (events) {
            if (closed) {
                throw new RdmaException(RdmaErrorCode.CLOSED, "The event channel is closed.");
            }
            users++;
        }
    }

    void removeUser() {
        synchronized (events) {
            users--;
        }
    }

    @Override
    public void close() {
        synchronized (events) {
            if (!closed && users > 0) {
                throw new RdmaException(
                        RdmaErrorCode.RESOURCE_BUSY,
                        "The event channel is still used by " + users + " connection id(s): close them first.");
            }
        }
        shutDown();
    }

    /** Closes it whoever uses it. */
    void shutDown() {
        closed = true;
        forget.accept(this);
        core.progression().signal(this);
    }
}
