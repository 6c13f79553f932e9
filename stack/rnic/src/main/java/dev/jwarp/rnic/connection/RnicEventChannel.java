package dev.jwarp.rnic.connection;

import dev.jwarp.rnic.core.ContextCore;
import dev.jwarp.rnic.core.EventDelivery;
import dev.jwarp.rnic.core.RnicChannel;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue of events of connection ids, in order. The length is bounded, because an id has only a few events in its
 * life, and the backlog limits the requests of a listener. A synchronous id has a channel of its own.
 */
public final class RnicEventChannel extends RnicChannel<CmEvent> implements CmEventChannel {
    /** A connection id, as its channel sees it. Any thread. */
    interface User {
        /** Ends the connection, because the program's handler threw at an event of this id. Throws nothing. */
        void handlerFailed(String reason);

        /** Marks the connection request as taken, or as given up. Returns true the first time. */
        boolean take();
    }

    private final ContextCore core;
    private final String name;

    /** Null until a handler is set; always null for a synchronous id. */
    private volatile @Nullable EventDelivery<CmEvent> delivery;

    /** @param forget called with the channel when it is closed */
    RnicEventChannel(ContextCore core, String name, Consumer<RnicChannel<CmEvent>> forget) {
        super(core.progression(), name, "connection id", forget);
        this.core = core;
        this.name = name;
    }

    @Override
    public void onEvent(Consumer<CmEvent> handler) {
        EventDelivery<CmEvent> made;
        synchronized (this) {
            made = delivery;
            if (made == null) {
                made = new EventDelivery<>(core.progression(), this, name, this::handlerFailed);
                delivery = made;
            }
        }
        made.begin(handler);
    }

    @Override
    protected void told() {
        ifHandled(EventDelivery::eventCame);
    }

    @Override
    protected void checkTaken() {
        ifHandled(EventDelivery::checkNone);
    }

    /** Delivers all pending events, because the context ends. */
    void deliverNow() {
        ifHandled(EventDelivery::deliverNow);
    }

    private void ifHandled(Consumer<EventDelivery<CmEvent>> then) {
        EventDelivery<CmEvent> there = delivery;
        if (there != null) {
            then.accept(there);
        }
    }

    private void handlerFailed(@Nullable CmEvent event, Throwable cause) {
        core.failed("a handler of events threw, or they could not be handed over", cause);
        try {
            if (event != null && event.id() instanceof User told) {
                told.handlerFailed("the handler threw at " + event.type() + ": " + cause);
            }
        } catch (Throwable e) { // for example from the message of the program's exception
            core.failed("the connection of a handler that threw could not be ended", e);
        }
    }

    void add(CmEvent event) {
        add(event, false);
    }

    /** {@return the pending events of {@code id}, including connection requests to that id; they are removed} */
    List<CmEvent> remove(CmId id) {
        return removeIf(event -> event.id() == id || event.listenId() == id);
    }

    /** {@return false for a connection request that failed just before it was taken} */
    @Override
    protected boolean taken(CmEvent event) {
        return event.type() != CmEventType.CONNECT_REQUEST || !(event.id() instanceof User request) || request.take();
    }
}
