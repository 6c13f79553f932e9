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
 * The destination of a connection id's events: the program's channel or, for a synchronous id, a private queue for the
 * waiting calls of the id. Any thread.
 */
final class CmIdEvents {
    private final RnicCmId id;
    private final ContextCore core;

    // Guarded by this.
    private @Nullable RnicEventChannel channel;
    private RnicEventChannel queue;
    /** Ids of connection requests whose CONNECT_REQUEST event was not added yet. */
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

    /** Adds the id as a user of its channel. Call it once, after everything that can fail. */
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
     * Creates the id of a connection request, which reports to the same channel. This id must not be closed; then its
     * channel cannot be closed meanwhile, because this id uses the channel.
     *
     * @param maker creates the id for this channel; the channel is null for a synchronous id
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

    /** Removes a request whose creation failed. */
    synchronized void forget(RnicCmId request) {
        untold.removeIf(other -> other == request);
        request.events().close(true);
    }

    /** Adds an event, unless the id is closed: an event of a closed id would stay in the queue. */
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

    /** Moves the id and its pending events to another channel. */
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
        // The program may close the old channel after this call, so no request may stay there.
        untold.forEach(request -> request.events().migrate(target));
        waiting.forEach(this::takeAlong);
        waiting.forEach(next::add);
    }

    /** Moves a pending request to the channel of its listener. Under the monitor. */
    private void takeAlong(CmEvent event) {
        if (event.listenId() == id
                && event.id() instanceof RnicCmId request
                && request.events().channel() != channel) {
            request.events().migrate(channel);
        }
    }

    /** {@return the next event of a synchronous id; null after the timeout} */
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

    /** Removes the pending events of {@code other}. */
    synchronized void withdraw(CmId other) {
        queue.remove(other);
    }

    /**
     * Removes the events of the closed id, and wakes threads that wait for more. May be repeated after an exception.
     *
     * @param first whether this call removes the id from the users of its channel
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
