package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamHome;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What stream sockets stand on: the threads that are in their calls drive its context, one at a time, and the others sleep; the caretaker drives it when none is. Any
 * thread.
 */
final class SocketContext extends StreamHome {
    /** As long as a call without a time-out waits. */
    static final Duration FOR_EVER = Duration.ofDays(50_000);

    private static final Logger LOG = LoggerFactory.getLogger(SocketContext.class);

    private final Caretaker caretaker;
    /** Channels and selectors that end with this; of the one that the process shares there are none. Guarded by itself. */
    private final @Nullable Set<Closeable> users;

    /**
     * Opens one.
     *
     * @param settings of the context
     */
    SocketContext(Map<String, String> settings) {
        this(settings, Collections.newSetFromMap(new WeakHashMap<>()));
    }

    private SocketContext(Map<String, String> settings, @Nullable Set<Closeable> users) {
        super(settings);
        this.users = users;
        caretaker = new Caretaker(context());
    }

    /** {@return the same channel or selector, which ends with this context if it is not closed before} */
    <T extends Closeable> T using(T user) {
        if (users != null) {
            synchronized (users) {
                users.add(user);
            }
        }
        return user;
    }

    /** So long the process waits at its end for what channels that are closed have not sent yet; for those of TCP the system does it. */
    private static final Duration AT_EXIT = Duration.ofSeconds(10);

    private static final class Shared {
        static final SocketContext INSTANCE = new SocketContext(Map.of(), null);

        static {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(INSTANCE::awaitClosed, "jwarp sockets, at exit"));
            } catch (IllegalStateException e) {
                LOG.debug("The process ends already", e);
            }
        }
    }

    /** {@return the one of the process} It is opened by the first call. */
    static SocketContext shared() {
        return Shared.INSTANCE;
    }

    /** Waits until all channels that were closed have sent what was written, but not for ever. */
    void awaitClosed() {
        caretaker.awaitClosed(AT_EXIT);
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

    /** Has the context driven by another thread until that is there, or {@link #driveNoMoreFor}: the caller waits somewhere else. */
    void driveFor(ProgressCondition condition) {
        caretaker.driveFor(condition);
    }

    /** The caller waits no more. */
    void driveNoMoreFor(ProgressCondition condition) {
        caretaker.driveNoMoreFor(condition);
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
    protected void abortLater(StreamConnection connection) {
        caretaker.abortLater(connection);
    }

    @Override
    protected void disconnectLater(StreamConnection connection) {
        caretaker.disconnectLater(connection);
    }

    @Override
    protected void over(StreamConnection connection) {
        caretaker.over(connection);
    }

    /** Closes all that uses it; threads that wait come back. */
    private void closeUsers() {
        List<Closeable> all = List.of();
        if (users != null) {
            synchronized (users) {
                all = List.copyOf(users);
            }
        }
        for (Closeable user : all) {
            try {
                user.close();
            } catch (IOException e) {
                LOG.debug("{} is as closed as it can be", user, e);
            }
        }
    }

    @Override
    public void close() {
        closeUsers();
        awaitClosed();
        caretaker.end();
        super.close();
    }
}
