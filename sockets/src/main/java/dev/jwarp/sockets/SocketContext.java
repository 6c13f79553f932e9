package dev.jwarp.sockets;

import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * What stream sockets stand on: a context with inline progress. The threads that are in their calls drive it, one at a time, and the others sleep. All of it
 * is demultiplexed here: completions by their queue pair, events by their connection id. Any thread.
 */
final class SocketContext implements AutoCloseable {
    /** As long as a call without a time-out waits. */
    static final Duration FOR_EVER = Duration.ofDays(50_000);

    private final Context context;
    private final ProtectionDomain domain;
    private final CmEventChannel events;
    private final CompletionRooms rooms;
    private final Caretaker caretaker;

    /**
     * Opens one.
     *
     * @param settings of the context
     */
    SocketContext(Map<String, String> settings) {
        context = RdmaProvider.load().devices().get(0).open(Progress.INLINE, settings);
        domain = context.allocateProtectionDomain();
        events = context.createEventChannel();
        events.onEvent(SocketContext::event);
        rooms = new CompletionRooms(context, SocketContext::completions);
        caretaker = new Caretaker(context);
    }

    private static final class Shared {
        static final SocketContext INSTANCE = new SocketContext(Map.of());
    }

    /** {@return the one of the process} It is opened by the first call. */
    static SocketContext shared() {
        return Shared.INSTANCE;
    }

    private static void event(CmEvent event) {
        CmId id = event.type() == CmEventType.CONNECT_REQUEST ? Objects.requireNonNull(event.listenId()) : event.id();
        if (id.attachment() instanceof CmEventTaker taker) {
            taker.on(event);
        }
    }

    private static void completions(CompletionQueue queue, WorkCompletion[] completions, int count) {
        for (int i = 0; i < count; i++) {
            QueuePair queuePair = completions[i].queuePair();
            if (queuePair != null && queuePair.attachment() instanceof StreamConnection connection) {
                connection.on(completions[i]);
            }
        }
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** {@return where queues report that have room in one} */
    CompletionRooms rooms() {
        return rooms;
    }

    /** {@return a new id whose events go to {@code taker}} */
    CmId newId(CmEventTaker taker) {
        CmId id = context.createId(events);
        id.attach(taker);
        return id;
    }

    /** {@return a condition to {@link #await}} */
    ProgressCondition newCondition(BooleanSupplier ready) {
        return context.newCondition(ready);
    }

    /**
     * Waits, and drives the context meanwhile.
     *
     * @return whether what is waited for is there: not if the time is over, or the thread was interrupted
     */
    boolean await(ProgressCondition condition, Duration timeout) {
        caretaker.enter();
        try {
            return condition.await(timeout);
        } catch (RdmaException e) {
            if (e.code() == RdmaErrorCode.INTERRUPTED || e.code() == RdmaErrorCode.CLOSED) {
                return false;
            }
            throw e;
        } finally {
            caretaker.leave();
        }
    }

    /** Does what can be done without waiting. */
    void poll() {
        context.poll();
    }

    /** Ends a connection that the program has closed, if it is not over by itself before. */
    void endLater(StreamConnection connection) {
        caretaker.endLater(connection, StreamConnection.CLOSING);
    }

    /** Ends all that is open. */
    @Override
    public void close() {
        caretaker.end();
        context.close();
    }
}
