package dev.jwarp.rnic;

import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Waitable;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The async events of a context that nobody took yet. Peers can cause them, so there is a limit: the oldest go first,
 * and are counted. Any thread.
 */
final class AsyncEvents implements Waitable {
    /** Enough for a program that looks now and then; small enough to forget about. */
    private static final int LIMIT = 4096;

    private final Progression progression;
    private final Counters counters;
    private final Waiters waiters;
    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();
    private volatile boolean something;
    private volatile boolean closed;

    AsyncEvents(Progression progression, Counters counters) {
        this.progression = progression;
        this.counters = counters;
        this.waiters = progression.newWaiters();
    }

    void add(AsyncEventType type, Object element, String sentence) {
        add(new AsyncEvent(type, element, sentence));
    }

    void add(AsyncEvent event) {
        synchronized (events) {
            if (events.size() == LIMIT) {
                events.remove();
                counters.increment(RnicCounter.ASYNC_EVENTS_DROPPED);
            }
            events.add(event);
            something = true;
        }
        progression.signal(this);
    }

    @Nullable
    AsyncEvent take() {
        if (!something) {
            return null;
        }
        synchronized (events) {
            AsyncEvent event = events.poll();
            something = !events.isEmpty();
            return event;
        }
    }

    void close() {
        closed = true;
        progression.signal(this);
    }

    @Override
    public boolean ready() {
        return something || closed;
    }

    @Override
    public Waiters waiters() {
        return waiters;
    }
}
