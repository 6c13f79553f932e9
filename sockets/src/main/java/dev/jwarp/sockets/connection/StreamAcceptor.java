package dev.jwarp.sockets.connection;

import dev.jwarp.sockets.stream.StreamException;
import dev.jwarp.sockets.stream.StreamRefusal;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A listener. It accepts connections as they arrive, as a kernel does, and queues them until the program takes them.
 * The backlog limits the number of queued connections ({@link StreamPlaces}). Any thread; no call blocks.
 */
public final class StreamAcceptor implements StreamHome.CmEventTaker {
    private static final Logger LOG = LoggerFactory.getLogger(StreamAcceptor.class);

    /** The log gets at most one refusal in this time. */
    private static final Duration SAYING = Duration.ofMinutes(1);

    private final StreamHome home;
    private final StreamWatcher watcher;
    private final Supplier<StreamSetUp> settings;
    private final int backlog;
    private final StreamPlaces places;
    private final CmId id;
    private final ReentrantLock lock = new ReentrantLock();

    /** Connections that are accepted and not established yet. */
    private final Set<StreamConnection> coming = new HashSet<>();
    /** Established connections for the program, in the order of their arrival. */
    private final Set<StreamConnection> waiting = new LinkedHashSet<>();

    private boolean closed;
    /** Number of refused peers since the last line in the log, including the peer of that line. */
    private int refused;

    private long saidAt;

    private StreamAcceptor(StreamHome home, StreamWatcher watcher, Supplier<StreamSetUp> settings, int backlog) {
        this.home = home;
        this.watcher = watcher;
        this.settings = settings;
        this.backlog = backlog;
        places = new StreamPlaces(backlog);
        id = home.newId(this);
    }

    /**
     * {@return a listener}
     *
     * @param home of accepted connections
     * @param watcher notified when a connection is ready to be taken
     * @param settings of accepted connections
     * @param local address to listen on
     * @param backlog maximum of queued connections; 1 or more
     * @throws IOException if it cannot listen there
     */
    public static StreamAcceptor at(
            StreamHome home,
            StreamWatcher watcher,
            Supplier<StreamSetUp> settings,
            InetSocketAddress local,
            int backlog)
            throws IOException {
        StreamAcceptor made = new StreamAcceptor(home, watcher, settings, backlog);
        return made.begin(id -> {
            id.bind(local);
            id.listen(backlog);
        });
    }

    /**
     * {@return a listener with a home of its own that gets some of the connections of another listener}
     *
     * @param home of accepted connections
     * @param watcher notified when a connection is ready to be taken
     * @param other listener on the port
     * @throws IOException if the other listener is closed
     */
    public static StreamAcceptor with(StreamHome home, StreamWatcher watcher, StreamAcceptor other) throws IOException {
        StreamAcceptor made = new StreamAcceptor(home, watcher, other.settings, other.backlog);
        return made.begin(id -> id.listenWith(other.id, other.backlog));
    }

    private StreamAcceptor begin(Consumer<CmId> how) throws IOException {
        try {
            how.accept(id);
            return this;
        } catch (RdmaException e) {
            id.close();
            throw SocketFaults.of(e);
        }
    }

    /**
     * Lets the program choose the listener of each connection.
     *
     * @param chooser returns this listener, or one that was made {@link #with} it; called by the thread that drives the
     *     context; must not block
     */
    public void choosing(Supplier<StreamAcceptor> chooser) {
        id.choosing(peer -> chooser.get().id);
    }

    /** {@return the address of the listener} */
    public @Nullable InetSocketAddress localAddress() {
        return id.localAddress();
    }

    @Override
    public void on(CmEvent event) {
        if (event.type() != CmEventType.CONNECT_REQUEST) {
            return;
        }
        lock.lock();
        try {
            if (closed) {
                event.id().close();
                return;
            }
            accept(event, settings.get());
        } finally {
            lock.unlock();
        }
        places.displaced().forEach(StreamConnection::giveWay);
    }

    private void accept(CmEvent request, StreamSetUp setUp) {
        CmId peer = request.id();
        StreamPlaces.Place place = places.take(peer.remoteAddress());
        boolean accepted = false;
        try {
            if (place == null) {
                peer.reject(StreamRefusal.full(setUp.protocol()));
                return; // the places log it
            }
            coming.add(accept(request, setUp, place));
            accepted = true;
        } catch (StreamException | RdmaException e) {
            sayRefused(peer, e);
        } finally {
            if (!accepted) {
                if (place != null) {
                    place.leave();
                }
                peer.close();
            }
        }
    }

    /** Accepts a request, or rejects it with the reason. */
    private StreamConnection accept(CmEvent request, StreamSetUp setUp, StreamPlaces.Place place)
            throws StreamException {
        CmId peer = request.id();
        ByteBuffer record = ByteBuffer.wrap(request.parameters().privateData());
        StreamConnection connection;
        try {
            setUp.protocol().check(record, setUp.credit().options(home.context()));
            connection = new StreamConnection(home, peer, setUp);
        } catch (StreamException e) {
            peer.reject(StreamRefusal.bytes(setUp.protocol(), e));
            throw e;
        } catch (RdmaException e) {
            peer.reject(StreamRefusal.full(setUp.protocol()));
            throw e;
        }
        connection.accept(record, place, this::came);
        return connection;
    }

    /** Logs a refusal, at most once per {@link #SAYING}, because any host can cause refusals at any rate. */
    private void sayRefused(CmId peer, Exception why) {
        long now = System.nanoTime();
        if (refused > 0 && now - saidAt < SAYING.toNanos()) {
            refused++;
            LOG.debug("{} was refused", peer.remoteAddress(), why);
            return;
        }
        LOG.warn(
                "{} was refused: {}{}",
                peer.remoteAddress(),
                why instanceof StreamException fault ? fault.sentence() : why.getMessage(),
                refused < 2 ? "" : " (" + (refused - 1) + " more were refused since the last such line)");
        saidAt = now;
        refused = 1;
    }

    /** Called when a connection is established, has failed, or was displaced. */
    private void came(StreamConnection connection) {
        boolean kept = false;
        lock.lock();
        try {
            if (coming.remove(connection) && !closed && connection.waits()) {
                kept = true;
                waiting.add(connection);
                watcher.set(SelectionKey.OP_ACCEPT);
            } else if (waiting.remove(connection)) {
                watcher.set(waiting.isEmpty() ? 0 : SelectionKey.OP_ACCEPT);
            }
        } catch (IOException e) {
            LOG.debug("{} was gone before it was connected", connection.remoteAddress(), e);
        } finally {
            lock.unlock();
        }
        if (!kept) {
            connection.close();
        }
    }

    /** {@return the next connection, which the program must close; null if none is queued} */
    public @Nullable StreamConnection take() {
        lock.lock();
        try {
            Iterator<StreamConnection> first = waiting.iterator();
            StreamConnection taken = null;
            if (first.hasNext()) {
                taken = first.next();
                first.remove();
            }
            watcher.set(waiting.isEmpty() ? 0 : SelectionKey.OP_ACCEPT);
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Stops listening, and closes connections that the program has not taken. */
    public void close() {
        Set<StreamConnection> left;
        lock.lock();
        try {
            closed = true;
            left = new HashSet<>(waiting);
            left.addAll(coming);
            waiting.clear();
            coming.clear();
        } finally {
            lock.unlock();
        }
        id.close();
        left.forEach(StreamConnection::close);
    }
}
