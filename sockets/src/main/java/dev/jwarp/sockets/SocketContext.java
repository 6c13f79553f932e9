package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamHome;
import dev.jwarp.sockets.connection.StreamMemory;
import dev.jwarp.sockets.datagram.DatagramHome;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The context of sockets. A thread in a call of a socket drives the context, one thread at a time, while others sleep.
 * The caretaker drives the context if no thread is in a call. Any thread.
 */
final class SocketContext extends StreamHome {
    /** The time-out of a call that has none. */
    static final Duration FOR_EVER = Duration.ofDays(50_000);

    private static final Logger LOG = LoggerFactory.getLogger(SocketContext.class);

    private final Caretaker caretaker;
    /**
     * Channels and selectors that are closed with this context; null for the shared context of the process. Guarded by
     * itself.
     */
    private final @Nullable Set<Closeable> users;

    /** Set by the first datagram channel; guarded by this. */
    private @Nullable DatagramHome datagrams;

    /**
     * Opens one.
     *
     * @param settings of the context
     */
    SocketContext(Map<String, String> settings) {
        this(settings, StreamMemory.ofProcess());
    }

    /** Made with memory for the streams. */
    SocketContext(Map<String, String> settings, StreamMemory memory) {
        this(settings, Collections.newSetFromMap(new WeakHashMap<>()), memory);
    }

    private SocketContext(Map<String, String> settings, @Nullable Set<Closeable> users, StreamMemory memory) {
        super(settings, memory);
        this.users = users;
        caretaker = new Caretaker(context());
    }

    /** {@return the channel or selector, which is closed with this context} */
    <T extends Closeable> T using(T user) {
        if (users != null) {
            synchronized (users) {
                users.add(user);
            }
        }
        return user;
    }

    /** Time for which a peer that has spoken TCP is remembered to do so. */
    private static final long KNOWN_NANOS = 60_000_000_000L;

    private static final int MOST_KNOWN = 1_000;

    /** Addresses of peers that use TCP, with the time until which that counts. */
    private final Map<InetSocketAddress, Long> ofTcp = new ConcurrentHashMap<>();

    /**
     * Notes that bytes arrived from an address over TCP. A listener of MPA sends no bytes to a client that sends no
     * Request.
     */
    void speaksTcp(InetSocketAddress address) {
        if (ofTcp.size() >= MOST_KNOWN) {
            ofTcp.clear(); // they are asked again
        }
        ofTcp.put(address, System.nanoTime() + KNOWN_NANOS);
    }

    /** {@return whether the peer has recently shown that it uses TCP} */
    boolean knownForTcp(InetSocketAddress address) {
        Long until = ofTcp.get(address);
        if (until != null && System.nanoTime() - until >= 0) {
            ofTcp.remove(address, until);
            return false;
        }
        return until != null;
    }

    /** Longest time that the process waits at its end for data that channels, closed or not, have not sent yet; for channels of TCP the system waits. */
    private static final Duration AT_EXIT = Duration.ofSeconds(10);

    /** The part of {@link #AT_EXIT} that is kept for closing open channels, so that a peer that reads nothing cannot use up all of the time. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    /** Time without a new call after which the process, at its end, is taken to use no channel any more. */
    private static final Duration QUIET = Duration.ofMillis(250);

    /** Longest time that the process waits, at its end, for a program that goes on with calls. */
    private static final Duration BUSY = Duration.ofSeconds(1);

    private static final class Shared {
        static final SocketContext INSTANCE = new SocketContext(Map.of(), null, StreamMemory.ofProcess());

        static {
            try {
                Runtime.getRuntime().addShutdownHook(new Thread(INSTANCE::exit, "jwarp sockets, at exit"));
            } catch (IllegalStateException e) {
                LOG.debug("The process ends already", e);
            }
        }
    }

    /** {@return the shared context of the process} The first call opens it. */
    static SocketContext shared() {
        return Shared.INSTANCE;
    }

    /**
     * The process ends: peers receive what was written, and the end of each channel. Without this hook the system closes the connections, and resets those with unread bytes. Open
     * channels stay open if the program goes on with calls.
     */
    private void exit() {
        long end = System.nanoTime() + AT_EXIT.toNanos();
        caretaker.await(this::allGone, AT_EXIT.minus(LAST_WORDS), BUSY);
        if (hasConnections() && caretaker.awaitQuiet(QUIET, BUSY)) {
            endConnections();
        }
        caretaker.awaitClosed(Duration.ofNanos(end - System.nanoTime()));
    }

    /** Waits until all closed channels have sent their data, up to a limit. */
    void awaitClosed() {
        caretaker.awaitClosed(AT_EXIT);
    }

    /** {@return the thread that drives the context while no call of the program does} */
    Caretaker caretaker() {
        return caretaker;
    }

    /**
     * {@return the resources of datagram sockets; null without a transport for datagrams} The first call makes them.
     */
    @Nullable
    DatagramHome datagrams() {
        synchronized (this) {
            if (datagrams == null && DatagramHome.possible(context())) {
                datagrams = new DatagramHome(context());
            }
            return datagrams;
        }
    }

    /** {@return a condition to {@link #await}} */
    ProgressCondition newCondition(BooleanSupplier ready) {
        return context().newCondition(ready);
    }

    /** Waits, and drives the context meanwhile. Returns early if the time is over, the condition is closed, or the thread is interrupted. */
    void await(ProgressCondition condition, Duration timeout) {
        caretaker.enter();
        try {
            caretaker.flushAll();
            condition.await(timeout);
        } catch (RdmaException e) {
            if (e.code() != RdmaErrorCode.INTERRUPTED && e.code() != RdmaErrorCode.CLOSED) {
                throw e;
            }
        } finally {
            caretaker.drove();
            caretaker.leave();
        }
    }

    /**
     * Closes a connection.
     *
     * @param linger seconds to wait until all data is sent, after which the connection is aborted; 0 to abort at once;
     *     negative not to wait
     */
    void close(StreamConnection connection, int linger) {
        if (linger == 0) {
            connection.abort();
            return;
        }
        connection.close();
        poll();
        if (linger > 0) {
            try (ProgressCondition sent = newCondition(connection.output()::sent)) {
                connection.output().whenSent(sent::signal);
                await(sent, Duration.ofSeconds(linger));
            }
            if (!connection.output().sent()) {
                connection.abort();
            }
        }
    }

    /** Sends what was posted. */
    void flush() {
        context().flush();
        caretaker.flushed();
    }

    /** Does what can be done without waiting. */
    void poll() {
        caretaker.enter();
        try {
            context().poll();
        } finally {
            caretaker.drove();
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
    protected void flushLater(StreamConnection connection) {
        caretaker.flushLater(connection);
    }

    @Override
    protected void over(StreamConnection connection) {
        caretaker.over(connection);
    }

    /** Closes all channels and selectors, which ends the waits of their threads. */
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
                LOG.debug("{} could not be closed in order", user, e);
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
