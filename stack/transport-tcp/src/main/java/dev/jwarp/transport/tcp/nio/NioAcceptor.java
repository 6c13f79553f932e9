package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.Share;
import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.transport.tcp.TcpCounter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes connections of the sockets that a listener took, for one handler on one loop. The listener may be that of another loop: then
 * sockets, of which nothing was read yet, wait here until the owner of this loop comes.
 */
final class NioAcceptor {
    private static final Logger LOG = LoggerFactory.getLogger(NioAcceptor.class);

    private final TcpLoop loop;
    private final NioShared shared;
    private final InetSocketAddress local;
    private final ConnectionHandler handler;
    private final int most;

    /** Those that wait for the owner. Guarded by itself, as whether this is closed. */
    private final ArrayDeque<SocketChannel> handed = new ArrayDeque<>();

    private boolean closed;

    /** @param most sockets that may wait for the owner */
    NioAcceptor(TcpLoop loop, NioShared shared, InetSocketAddress local, ConnectionHandler handler, int most) {
        this.loop = loop;
        this.shared = shared;
        this.local = local;
        this.handler = handler;
        this.most = most;
    }

    InetSocketAddress localAddress() {
        return local;
    }

    /** {@return connections that its loop has or will have} Any thread. */
    long load() {
        synchronized (handed) {
            return (long) shared.context.connections() + handed.size();
        }
    }

    /** {@return whether it can be offered one} Any thread; by the time of an offer it may be otherwise. */
    boolean hasRoom() {
        synchronized (handed) {
            return !closed && handed.size() < most;
        }
    }

    /** {@return whether it is this one's from now on} Any thread. */
    boolean offer(SocketChannel taken) {
        synchronized (handed) {
            if (closed || handed.size() >= most) {
                return false;
            }
            handed.add(taken);
        }
        loop.note(this::takeHanded);
        return true;
    }

    /** Takes one that was offered. Owner only. */
    private void takeHanded() {
        SocketChannel taken;
        synchronized (handed) {
            taken = handed.poll();
        }
        if (taken != null) {
            take(taken, loop.now());
        }
    }

    /** {@return those that no owner came for, which are the caller's from now on} It takes no more. Any thread. */
    List<SocketChannel> close() {
        synchronized (handed) {
            closed = true;
            List<SocketChannel> left = List.copyOf(handed);
            handed.clear();
            return left;
        }
    }

    /** Makes a connection of it, which this thread's loop moves. Owner only. */
    void take(SocketChannel taken, long nowNanos) {
        Share place = null;
        NioStream stream;
        try {
            InetSocketAddress remote = remoteOf(taken);
            place = shared.context.reserveConnection(remote, nowNanos);
            if (place == null) {
                refuse(taken);
                return;
            }
            stream = new NioStream(loop, shared, remote, local);
            stream.attach(shared.engines.responder(stream, handler, nowNanos));
        } catch (Throwable e) {
            if (place != null) {
                shared.context.releaseConnection(place);
            }
            refuse(taken);
            throw e;
        }
        shared.count(TcpCounter.ACCEPTED);
        try {
            stream.accepted(taken, place, nowNanos);
        } catch (Throwable e) {
            stream.fault(e, nowNanos);
        }
    }

    private static InetSocketAddress remoteOf(SocketChannel taken) {
        try {
            return (InetSocketAddress) taken.getRemoteAddress();
        } catch (IOException e) {
            return new InetSocketAddress(0); // it has left already
        }
    }

    /** Resets it. */
    static void refuse(SocketChannel taken) {
        try (taken) {
            NioSockets.resetOnClose(taken); // no half-open rest, and the peer knows at once
        } catch (IOException e) {
            LOG.debug("Refusing a connection failed", e);
        }
    }
}
