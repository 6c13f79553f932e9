package dev.jwarp.rnic.core;

import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Supply;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Passes events to the program's handler, if there is one: soon after the event, on a thread that makes progress, and
 * never under a lock. Any thread.
 *
 * @param <E> the events
 */
public final class EventDelivery<E> {
    private final Progression progression;
    private final Supply<E> supply;
    private final String name;
    private final BiConsumer<@Nullable E, Throwable> failed;
    private volatile @Nullable Run run;

    /**
     * A delivery without a handler.
     *
     * @param name the source of the events, for messages
     * @param failed called with the event for which the handler threw, or with null if the delivery itself failed;
     *     throws nothing
     */
    public EventDelivery(
            Progression progression, Supply<E> supply, String name, BiConsumer<@Nullable E, Throwable> failed) {
        this.progression = progression;
        this.supply = supply;
        this.name = name;
        this.failed = failed;
    }

    private final class Run extends SerialTask {
        private final Consumer<E> handler;

        Run(Consumer<E> handler) {
            super(progression);
            this.handler = handler;
        }

        @Override
        protected void failed(Throwable cause) {
            failed.accept(null, cause);
        }

        @Override
        protected void doAll() {
            for (E event = next(); event != null; event = next()) {
                try {
                    handler.accept(event);
                } catch (Throwable e) {
                    failed.accept(event, e);
                }
            }
        }

        private @Nullable E next() {
            try {
                return supply.take();
            } catch (RdmaException e) { // the supply is closed
                return null;
            }
        }
    }

    /** Sets the handler and delivers to it from now on; throws WRONG_STATE if there is a handler already. */
    public void begin(Consumer<E> handler) {
        RdmaException.requireArgument(handler, "handler");
        supply.checkOpen();
        synchronized (this) {
            if (run != null) {
                throw new RdmaException(RdmaErrorCode.WRONG_STATE, "The " + name + " has a handler already.");
            }
            run = new Run(handler);
        }
        if (supply.ready()) { // a run without an event could deliver the next one on another thread
            eventCame();
        }
    }

    /** An event was added. The caller may hold any lock. */
    public void eventCame() {
        Run current = run;
        if (current != null) {
            current.askLater();
        }
    }

    /** Delivers all events now. The caller must hold no lock. */
    public void deliverNow() {
        Run current = run;
        if (current != null) {
            current.ask();
        }
    }

    /** Throws WRONG_STATE if there is a handler, because the program cannot take events then. */
    public void checkNone() {
        if (run != null) {
            throw new RdmaException(
                    RdmaErrorCode.WRONG_STATE,
                    "The events of the " + name
                            + " go to its handler: they cannot be taken. With inline progress, poll or await of the"
                            + " context drives it.");
        }
    }
}
