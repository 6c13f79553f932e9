package dev.jwarp.rnic.core;

import dev.jwarp.llp.LimitSink;
import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Supply;
import dev.jwarp.rnic.progress.Waiters;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The queue of the async events of a context. Peers can cause async events, so the queue is bounded: equal events are
 * merged into one event with a count, and a full queue drops its oldest event. Counters count both (datagram-iWARP
 * §15). Any thread.
 */
public final class AsyncEvents implements Supply<AsyncEvent> {
    private final Progression progression;
    private final Counters counters;
    private final Waiters waiters;
    private final int limit;
    private final EventDelivery<AsyncEvent> delivery;

    /** Count of each event; the oldest event first. Guarded by itself. */
    private final Map<AsyncEvent, Integer> events = new LinkedHashMap<>();

    private volatile boolean something;
    private volatile boolean closed;

    AsyncEvents(Progression progression, Counters counters, int limit, BiConsumer<String, Throwable> failures) {
        this.progression = progression;
        this.counters = counters;
        this.limit = limit;
        this.waiters = new Waiters();
        delivery = new EventDelivery<>(
                progression,
                this,
                "context",
                (event, cause) -> failures.accept("the handler threw at " + event, cause));
    }

    /** {@return the delivery to the program's handler} */
    public EventDelivery<AsyncEvent> delivery() {
        return delivery;
    }

    /** Reports the use of the queue. Any thread. */
    public void limits(LimitSink sink) {
        int waiting;
        synchronized (events) {
            waiting = events.size();
        }
        sink.limit("async-events", waiting, limit);
    }

    public void add(AsyncEventType type, Object element, String sentence) {
        add(new AsyncEvent(type, element, sentence));
    }

    public void add(AsyncEvent event) {
        synchronized (events) {
            if (events.merge(event, 1, Integer::sum) > 1) {
                counters.increment(RnicCounter.ASYNC_EVENTS_MERGED);
            } else if (events.size() > limit) {
                counters.add(
                        RnicCounter.ASYNC_EVENTS_DROPPED,
                        Objects.requireNonNull(removeOldest()).count());
            }
            something = true;
        }
        progression.signal(this);
        delivery.eventCame();
    }

    @Override
    public @Nullable AsyncEvent take() {
        if (!something) {
            return null;
        }
        synchronized (events) {
            AsyncEvent event = removeOldest();
            something = !events.isEmpty();
            return event;
        }
    }

    private @Nullable AsyncEvent removeOldest() {
        Iterator<Map.Entry<AsyncEvent, Integer>> all = events.entrySet().iterator();
        if (!all.hasNext()) {
            return null;
        }
        Map.Entry<AsyncEvent, Integer> oldest = all.next();
        all.remove();
        return oldest.getKey().withCount(oldest.getValue());
    }

    @Override
    public void checkOpen() {
        if (closed) {
            throw new RdmaException(RdmaErrorCode.CLOSED, "The context is closed.");
        }
    }

    /** Closes the queue with its context; queued events can still be taken. */
    public void close() {
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
