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
 * Events of connection ids in the order they happened. Its length is bounded: an id has a handful of events in its life,
 * and a listener's requests are limited by its backlog. A synchronous id has one to itself.
 */
public final class RnicEventChannel extends RnicChannel<CmEvent> implements CmEventChannel {
    /** A connection id as the channel sees it of which it has events. Any thread. */
    interface User {
        /** The program's handler threw at an event of it: its connection ends. Throws nothing. */
        void handlerFailed(String reason);

        /** The request is taken, or given up. Answers true the first time. */
        boolean take();
    }

    private final ContextCore core;
    private final String name;

    /** Once there is a handler, or was to be one: there is none for a synchronous id. */
    private volatile @Nullable EventDelivery<CmEvent> delivery;

    /** @param forget is given the channel when it is closed */
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

    /** Hands over what there is: its context ends. */
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
        } catch (Throwable e) { // such as a message of the program's exception
            core.failed("the connection of a handler that threw could not be ended", e);
        }
    }

    void add(CmEvent event) {
        add(event, false);
    }

    /** {@return the events of {@code id}, requests to it included, that were not taken; they leave the channel} */
    List<CmEvent> remove(CmId id) {
        return removeIf(event -> event.id() == id || event.listenId() == id);
    }

    /** {@return false for a request that failed just before it was taken} */
    @Override
    protected boolean taken(CmEvent event) {
        return event.type() != CmEventType.CONNECT_REQUEST || !(event.id() instanceof User request) || request.take();
    }
}
