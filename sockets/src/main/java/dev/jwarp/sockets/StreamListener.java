package dev.jwarp.sockets;

import dev.jwarp.sockets.stream.StreamException;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where peers connect to. They are accepted as they come, as a kernel does it, and wait until the program takes them; when so many wait as the backlog says, more are
 * refused. Any thread; nothing here waits.
 */
final class StreamListener implements CmEventTaker {
    private static final Logger LOG = LoggerFactory.getLogger(StreamListener.class);

    private final SocketContext sockets;
    private final Readiness readiness;
    private final StreamOptions options;
    private final int backlog;
    private final CmId id;
    private final ReentrantLock lock = new ReentrantLock();

    /** Accepted, and not there yet. */
    private final Set<StreamConnection> coming = new HashSet<>();
    /** For the program. */
    private final ArrayDeque<StreamConnection> waiting = new ArrayDeque<>();

    private boolean closed;

    /**
     * Listens.
     *
     * @param readiness says when a connection is there
     * @param options of what is accepted
     * @param local where
     * @param backlog how many may wait; 1 or more
     * @throws IOException if it cannot listen there
     */
    StreamListener(
            SocketContext sockets, Readiness readiness, StreamOptions options, InetSocketAddress local, int backlog)
            throws IOException {
        this.sockets = sockets;
        this.readiness = readiness;
        this.options = options;
        this.backlog = backlog;
        id = sockets.newId(this);
        try {
            id.bind(local);
            id.listen(backlog);
        } catch (RdmaException e) {
            id.close();
            throw SocketFaults.of(e);
        }
    }

    @Nullable
    InetSocketAddress localAddress() {
        return id.localAddress();
    }

    @Override
    public void on(CmEvent event) {
        if (event.type() != CmEventType.CONNECT_REQUEST) {
            return;
        }
        lock.lock();
        try {
            if (closed || coming.size() + waiting.size() >= backlog) {
                event.id().close();
                return;
            }
            coming.add(StreamConnection.accept(sockets, event, options, this::came));
        } catch (StreamException e) {
            LOG.warn("{} was refused: {}", event.id().remoteAddress(), e.getMessage());
            event.id().close();
        } catch (RdmaException e) {
            LOG.warn("{} was refused", event.id().remoteAddress(), e);
            event.id().close();
        } finally {
            lock.unlock();
        }
    }

    /** A connection is there, or failed. */
    private void came(StreamConnection connection) {
        boolean kept = false;
        lock.lock();
        try {
            if (coming.remove(connection) && !closed && connection.established()) {
                kept = true;
                waiting.add(connection);
                readiness.set(SelectionKey.OP_ACCEPT);
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
    @Nullable
    StreamConnection take() {
        lock.lock();
        try {
            StreamConnection taken = waiting.poll();
            readiness.set(waiting.isEmpty() ? 0 : SelectionKey.OP_ACCEPT);
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Listens no more; connections that were not taken end. */
    void close() {
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
