package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamHome;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.time.Duration;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * What stream sockets stand on: the threads that are in their calls drive its context, one at a time, and the others sleep; the caretaker drives it when none is. Any
 * thread.
 */
final class SocketContext extends StreamHome {
    /** As long as a call without a time-out waits. */
    static final Duration FOR_EVER = Duration.ofDays(50_000);

    private final Caretaker caretaker;

    /**
     * Opens one.
     *
     * @param settings of the context
     */
    SocketContext(Map<String, String> settings) {
        super(settings);
        caretaker = new Caretaker(context());
    }

    private static final class Shared {
        static final SocketContext INSTANCE = new SocketContext(Map.of());
    }

    /** {@return the one of the process} It is opened by the first call. */
    static SocketContext shared() {
        return Shared.INSTANCE;
    }

    /** {@return a condition to {@link #await}} */
    ProgressCondition newCondition(BooleanSupplier ready) {
        return context().newCondition(ready);
    }

    /** Waits, and drives the context meanwhile. Returns early if the time is over, the condition is closed, or the thread is interrupted. */
    void await(ProgressCondition condition, Duration timeout) {
        caretaker.enter();
        try {
            condition.await(timeout);
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.INTERRUPTED && e.code() != RdmaErrorCode.CLOSED) {
                throw e;
            }
        } finally {
            caretaker.leave();
        }
    }

    /** Does what can be done without waiting. */
    void poll() {
        caretaker.enter();
        try {
            context().poll();
        } finally {
            caretaker.leave();
        }
    }

    @Override
    protected void endLater(StreamConnection connection) {
        caretaker.endLater(connection, StreamConnection.CLOSING);
    }

    @Override
    protected void over(StreamConnection connection) {
        caretaker.over(connection);
    }

    @Override
    public void close() {
        caretaker.end();
        super.close();
    }
}
