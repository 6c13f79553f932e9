package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of one connection id go: to the program's channel, or, if the id is synchronous, to a queue of its own
 * that its calls wait at. Any thread.
 */
final class CmIdEvents {
    private final RnicCmId id;
    private final ContextCore core;

    // Guarded by this.
    private @Nullable RnicEventChannel channel;
    private RnicEventChannel queue;
    /** Requests that exist and of which no event tells yet. */
    private List<RnicCmId> untold = Collections.emptyList();

    private volatile @Nullable CmEvent last;

    CmIdEvents(RnicCmId id, ContextCore core, @Nullable RnicEventChannel channel) {
        this.id = id;
        this.core = core;
        this.channel = channel;
        this.queue = channel == null ? ownQueue() : channel;
    }

    private RnicEventChannel ownQueue() {
        return new RnicEventChannel(core, "connection id", forgotten -> {});
    }

    /** The id is there: its channel has one more user. Once, when nothing can fail any more. */
    synchronized void open() {
        queue.addUser();
    }

    synchronized @Nullable RnicEventChannel channel() {
        return channel;
    }

    synchronized boolean synchronous() {
        return channel == null;
    }

    /**
     * Has the id of a request made, which reports where this one does. Not closed: its channel cannot be either.
     *
     * @param maker is given that channel; null for a synchronous one
     */
    synchronized RnicCmId newRequest(Function<@Nullable RnicEventChannel, RnicCmId> maker) {
        RnicCmId request = maker.apply(channel);
        if (untold.isEmpty()) {
            untold = new ArrayList<>(1);
        }
        untold.add(request);
        request.events().open();
        return request;
    }

    /** Takes back a request of which nothing came. */
    synchronized void forget(RnicCmId request) {
        untold.removeIf(other -> other == request);
        request.events().close(true);
    }

    /** Tells it, unless the id is closed: nothing would take it away again. */
    synchronized void add(CmEvent event) {
        if (id.life().closed()) {
            return;
        }
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            untold.removeIf(request -> request == event.id());
        }
        takeAlong(event);
        boolean waitedFor = event.type() != CmEventType.DISCONNECTED
                && event.type() != CmEventType.ADDR_RESOLVED
                && event.type() != CmEventType.ROUTE_RESOLVED;
        if (channel != null || waitedFor) {
            queue.add(event);
        } else {
            last = event;
        }
    }

    /** Moves the id, with its events that were not taken yet. */
    synchronized void migrate(@Nullable RnicEventChannel target) {
        if (id.life().closed()) {
            return;
        }
        RnicEventChannel next = target == null ? ownQueue() : target;
        next.addUser();
        List<CmEvent> waiting = queue.remove(id);
        queue.removeUser();
        channel = target;
        queue = next;
        // The channel of before may be closed as soon as this is over: no request must be left there.
        untold.forEach(request -> request.events().migrate(target));
        waiting.forEach(this::takeAlong);
        waiting.forEach(next::add);
    }

    /** A request that was not taken yet reports where its listener does. Under the monitor. */
    private void takeAlong(CmEvent event) {
        if (event.listenId() == id
                && event.id() instanceof RnicCmId request
                && request.events().channel() != channel) {
            request.events().migrate(channel);
        }
    }

    /** {@return the next event of a synchronous id, waited for; null if none came in time} */
    @Nullable
    CmEvent await(long nanos) {
        RnicEventChannel own;
        synchronized (this) {
            own = queue;
        }
        CmEvent event = core.progression().awaitNext(own, nanos);
        if (event != null) {
            last = event;
        }
        return event;
    }

    /** Synchronous ids: waits for the event that ends the set-up; throws unless it is ESTABLISHED. */
    void awaitEstablished() {
        if (!synchronous()) {
            return;
        }
        CmEvent event = await(Long.MAX_VALUE);
        if (event != null && event.type() != CmEventType.ESTABLISHED) {
            RdmaErrorCode code = event.error();
            throw new RdmaException(
                    code == null ? RdmaErrorCode.INTERNAL : code,
                    event.sentence(),
                    null,
                    0,
                    event.parameters().privateData());
        }
    }

    @Nullable
    CmEvent last() {
        return last;
    }

    void last(CmEvent event) {
        last = event;
    }

    /** Takes back the events about {@code other} that were not taken. */
    synchronized void withdraw(CmId other) {
        queue.remove(other);
    }

    /**
     * The id is closed: its events are of no interest, and no thread must wait for more. Again if it threw.
     *
     * @param first whether its channel has one user less by this call
     */
    synchronized void close(boolean first) {
        try {
            queue.remove(id);
        } finally {
            if (first) {
                queue.removeUser();
            }
            if (channel == null) {
                queue.shutDown();
            }
        }
    }
}
