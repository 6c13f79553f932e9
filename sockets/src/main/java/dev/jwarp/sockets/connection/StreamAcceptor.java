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
 * Where peers connect to. They are accepted as they come, as a kernel does it, and wait until the program takes them; so many as the backlog says have a place there ({@link
 * StreamPlaces}). Any thread; nothing here waits.
 */
public final class StreamAcceptor implements StreamHome.CmEventTaker {
    private static final Logger LOG = LoggerFactory.getLogger(StreamAcceptor.class);

    /** The log has at most one refusal in this time. */
    private static final Duration SAYING = Duration.ofMinutes(1);

    private final StreamHome home;
    private final StreamWatcher watcher;
    private final Supplier<StreamSetUp> settings;
    private final int backlog;
    private final StreamPlaces places;
    private final CmId id;
    private final ReentrantLock lock = new ReentrantLock();

    /** Accepted, and not there yet. */
    private final Set<StreamConnection> coming = new HashSet<>();
    /** For the program, in the order in which they came. */
    private final Set<StreamConnection> waiting = new LinkedHashSet<>();

    private boolean closed;
    /** Peers that were refused since the last line in the log, with the peer of that line. */
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
     * @param home of what is accepted
     * @param watcher says when a connection is there
     * @param settings of what is accepted
     * @param local where
     * @param backlog how many may wait; 1 or more
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
     * {@return a listener that gets some of the connections of another one, for a home of its own}
     *
     * @param home of what is accepted
     * @param watcher says when a connection is there
     * @param other has the port
     * @throws IOException if that is closed
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
     * Has a program say which listener takes each connection.
     *
     * @param chooser answers with this one, or one {@link #with} it; called by the thread that drives the context, and must not wait
     */
    public void choosing(Supplier<StreamAcceptor> chooser) {
        id.choosing(peer -> chooser.get().id);
    }

    /** {@return where it listens} */
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
                return; // the log has it from the places
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

    /** Accepts a request, or tells the peer why not. */
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

    /** Says it once in a while: strangers can have themselves refused as often as they like. */
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
                refused < 2 ? "" : " (" + (refused - 1) + " more were refused since this was said last)");
        saidAt = now;
        refused = 1;
    }

    /** A connection is there, or failed, or gave way. */
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

    /** {@return a connection that the program has to close; null: none is there} */
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

    /** Stops listening. Connections that the program has not taken end. */
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
