package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.Share;
import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.transport.tcp.TcpCounter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes connections of the sockets that a listener took, for one handler on one loop. The listener may be that of another loop: then
 * sockets, of which nothing was read yet, wait here until the owner of this loop comes. Each has its place among the connections of
 * this transport from the moment at which it is this one's.
 */
final class NioAcceptor extends Timed {
    private static final Logger LOG = LoggerFactory.getLogger(NioAcceptor.class);

    /** A socket that waits, and its place among the connections. */
    private record Handed(SocketChannel taken, InetSocketAddress remote, Share place) {}

    private final NioShared shared;
    private final InetSocketAddress local;
    private final ConnectionHandler handler;
    private final int most;

    /** Those that wait for the owner. Guarded by itself, as what follows. */
    private final ArrayDeque<Handed> handed = new ArrayDeque<>();

    /** Whether the owner will come to them, by a note or by a timer. */
    private boolean awaited;

    private boolean closed;

    /** @param most sockets that may wait for the owner */
    NioAcceptor(TcpLoop loop, NioShared shared, InetSocketAddress local, ConnectionHandler handler, int most) {
        super(loop);
        this.shared = shared;
        this.local = local;
        this.handler = handler;
        this.most = most;
    }

    InetSocketAddress localAddress() {
        return local;
    }

    /** {@return connections that its transport has or will have} Any thread. */
    int load() {
        return shared.context.connections();
    }

    /**
     * {@return whether it is this one's from now on} Not if too many wait already, or if there is no place for one more connection.
     * One that this throws at is reset. Any thread.
     */
    boolean offer(SocketChannel taken, InetSocketAddress remote, long nowNanos) {
        synchronized (handed) {
            if (closed || handed.size() >= most) {
                return false;
            }
            Share place = placeFor(taken, remote, nowNanos, false);
            if (place == null) {
                return false;
            }
            try {
                handed.add(new Handed(taken, remote, place));
            } catch (Throwable e) {
                giveBack(taken, place);
                throw e;
            }
            if (awaited) {
                return true;
            }
            awaited = true;
        }
        noteHanded();
        return true;
    }

    private void noteHanded() {
        try {
            loop.note(this::comeToHanded);
        } catch (Throwable e) {
            synchronized (handed) {
                awaited = false; // the next one tries again
            }
            throw e;
        }
    }

    /** As one of the things that are due, not in the note: an owner runs notes as long as there are any. Owner only. */
    private void comeToHanded() {
        loop.timers().schedule(this, loop.stepTime());
    }

    /** Takes some of those that wait; the others get their turn first if there are more. Owner only. */
    @Override
    void onTimer(long nowNanos) {
        try {
            for (int i = 0; i < NioListener.ACCEPTS_A_LOOK; i++) {
                Handed next = nextHanded();
                if (next == null) {
                    return;
                }
                run(next.taken(), next.remote(), next.place(), nowNanos);
            }
        } finally {
            synchronized (handed) {
                awaited = !handed.isEmpty();
                if (awaited) {
                    loop.timers().schedule(this, nowNanos + 1); // not in this round again
                }
            }
        }
    }

    private @Nullable Handed nextHanded() {
        synchronized (handed) {
            return handed.poll();
        }
    }

    /** A connection was lost before it was one; those that wait are taken next time. */
    @Override
    void fault(Throwable cause, long nowNanos) {
        shared.count(TcpCounter.ACCEPT_FAILED);
        shared.noteFailed(cause);
    }

    /** {@return those that no owner came for, which are the caller's from now on} It takes no more. Any thread. */
    List<SocketChannel> close() {
        synchronized (handed) {
            closed = true;
            List<SocketChannel> left = new ArrayList<>(handed.size());
            for (Handed one = handed.poll(); one != null; one = handed.poll()) {
                shared.context.releaseConnection(one.place());
                left.add(one.taken());
            }
            return left;
        }
    }

    /** Resets one that waited for this one, which was closed: no other has room. Any thread. */
    void abandon(SocketChannel left) {
        shared.count(TcpCounter.NOT_TAKEN_OVER);
        refuse(left);
    }

    /** {@return whether it is a connection of this thread's loop now} Not if there is no place for one more. Owner only. */
    boolean take(SocketChannel taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, false);
        if (place == null) {
            return false;
        }
        run(taken, remote, place, nowNanos);
        return true;
    }

    /** As {@link #take}, but one without a place is reset, which is counted: no other has room either. Owner only. */
    void takeOrRefuse(SocketChannel taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, true);
        if (place == null) {
            refuse(taken);
        } else {
            run(taken, remote, place, nowNanos);
        }
    }

    /** @param last whether no other has room, so that it is counted if this one has none */
    private @Nullable Share placeFor(SocketChannel taken, InetSocketAddress remote, long nowNanos, boolean last) {
        try {
            return shared.context.reserveConnection(remote, nowNanos, last);
        } catch (Throwable e) {
            refuse(taken);
            throw e;
        }
    }

    private void giveBack(SocketChannel taken, Share place) {
        shared.context.releaseConnection(place);
        refuse(taken);
    }

    /** Makes a connection of it, which this thread's loop moves. Owner only. */
    private void run(SocketChannel taken, InetSocketAddress remote, Share place, long nowNanos) {
        NioStream stream;
        try {
            stream = new NioStream(loop, shared, remote, local);
            stream.attach(shared.engines.responder(stream, handler, nowNanos));
        } catch (Throwable e) {
            giveBack(taken, place);
            throw e;
        }
        shared.count(TcpCounter.ACCEPTED);
        try {
            stream.accepted(taken, place, nowNanos);
        } catch (Throwable e) {
            stream.fault(e, nowNanos);
        }
    }

    /** {@return whose it is} What this throws at is reset. */
    static InetSocketAddress remoteOf(SocketChannel taken) {
        try {
            return (InetSocketAddress) Objects.requireNonNull(taken.getRemoteAddress());
        } catch (IOException e) {
            return new InetSocketAddress(0); // it has left already
        } catch (Throwable e) {
            refuse(taken);
            throw e;
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
