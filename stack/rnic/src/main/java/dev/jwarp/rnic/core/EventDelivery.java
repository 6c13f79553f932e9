package dev.jwarp.rnic.core;

import dev.jwarp.rnic.progress.Progression;
import dev.jwarp.rnic.progress.Supply;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands events to a handler of the program, if there is one: soon after they have come, on a thread that moves what the context
 * has, and never under a lock. Any thread.
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
     * There is no handler.
     *
     * @param name of what has the events, in messages
     * @param failed is told of an event whose handler threw; of null if they could not be handed over; throws nothing
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
            } catch (RdmaException e) { // it is closed
                return null;
            }
        }
    }

    /** Hands over from now on; throws WRONG_STATE if there is a handler. */
    public void begin(Consumer<E> handler) {
        RdmaException.requireArgument(handler, "handler");
        supply.checkOpen();
        synchronized (this) {
            if (run != null) {
                throw new RdmaException(RdmaErrorCode.WRONG_STATE, "The " + name + " has a handler already.");
            }
            run = new Run(handler);
        }
        if (supply.ready()) { // else another thread than that of the next event would be asked, and hand it over
            eventCame();
        }
    }

    /** There is an event. Under any lock. */
    public void eventCame() {
        Run current = run;
        if (current != null) {
            current.askLater();
        }
    }

    /** Hands over what there is now; not under a lock. */
    public void deliverNow() {
        Run current = run;
        if (current != null) {
            current.ask();
        }
    }

    /** Throws WRONG_STATE if its events go to a handler: they cannot be taken. */
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
