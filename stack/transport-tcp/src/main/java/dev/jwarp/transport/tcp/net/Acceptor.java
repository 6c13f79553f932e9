package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.Share;
import dev.jwarp.io.LoopItem;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.transport.tcp.TcpCounter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes connections of the sockets that a listener accepted, for one handler on one loop. If the listener is on another
 * loop, sockets wait here, before anything is read from them, for the owner of this loop. A socket counts as a
 * connection of this transport from the moment at which it is handed over.
 */
final class Acceptor extends LoopItem {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private static final InetSocketAddress LEFT = new InetSocketAddress(0);

    /** A socket that waits, and its place among the connections. */
    private record Handed(StreamSocket taken, InetSocketAddress remote, Share place) {}

    private final TcpLoop owner;
    private final InetSocketAddress local;
    private final ConnectionHandler handler;
    private final int most;

    /** The sockets that wait for the owner. Guarded by itself, as are the next fields. */
    private final ArrayDeque<Handed> handed = new ArrayDeque<>();

    /** Whether a note or a timer will make the owner handle them. */
    private boolean awaited;

    private boolean closed;

    /** Whether the loop knows that there is a listener. Owner only. */
    private boolean listening;

    /** @param most sockets that may wait for the owner */
    Acceptor(TcpLoop owner, InetSocketAddress local, ConnectionHandler handler, int most) {
        super(owner.loop);
        this.owner = owner;
        this.local = local;
        this.handler = handler;
        this.most = most;
    }

    InetSocketAddress localAddress() {
        return local;
    }

    /** This loop waits in no blocking read from now on, because a new connection cannot end such a read. Any thread. */
    void noteListening() {
        loop.note(() -> listening(true));
    }

    private void listening(boolean listens) {
        if (listening != listens) {
            listening = listens;
            loop.listening(listens ? 1 : -1);
        }
    }

    /** {@return connections that its loop has or will have} Any thread. */
    int load() {
        return owner.connections();
    }

    /**
     * {@return whether this acceptor has taken the socket} False if too many wait already, or if a limit is reached. If
     * the call throws, the socket is reset. Any thread.
     */
    boolean offer(StreamSocket taken, InetSocketAddress remote, long nowNanos) {
        synchronized (handed) {
            if (closed || loop.isClosed() || handed.size() >= most) {
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

    /** Runs by a timer, not in the note, because an owner runs notes as long as there are any. Owner only. */
    private void comeToHanded() {
        if (loop.isClosed()) { // no timer fires any more
            close().forEach(this::abandon);
            return;
        }
        loop.timers().schedule(this, loop.stepTime());
    }

    /** Takes some of the waiting sockets; if there are more, other items have their turn first. Owner only. */
    @Override
    protected void onTimer(long nowNanos) {
        try {
            for (int i = 0; i < TcpListener.ACCEPTS_A_LOOK; i++) {
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

    /** A socket failed before it became a connection; the waiting ones are taken the next time. */
    @Override
    protected void fault(Throwable cause, long nowNanos) {
        owner.count(TcpCounter.ACCEPT_FAILED);
        owner.context.noteFailed(cause);
    }

    /**
     * {@return the sockets that no owner has handled, which belong to the caller from now on} This acceptor takes no
     * more. Any thread.
     */
    List<StreamSocket> close() {
        loop.note(() -> listening(false));
        synchronized (handed) {
            closed = true;
            List<StreamSocket> left = new ArrayList<>(handed.size());
            for (Handed one = handed.poll(); one != null; one = handed.poll()) {
                owner.release(one.place());
                left.add(one.taken());
            }
            return left;
        }
    }

    /**
     * Resets a socket that waited here when the acceptor was closed, because no other acceptor has room. Any thread.
     */
    void abandon(StreamSocket left) {
        owner.count(TcpCounter.NOT_TAKEN_OVER);
        refuse(left);
    }

    /** {@return whether the socket is a connection of this loop now} False if a limit is reached. Owner only. */
    boolean take(StreamSocket taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, false);
        if (place == null) {
            return false;
        }
        run(taken, remote, place, nowNanos);
        return true;
    }

    /**
     * As {@link #take}, but at a limit the socket is reset and counted, because no other acceptor has room either.
     * Owner only.
     */
    void takeOrRefuse(StreamSocket taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, true);
        if (place == null) {
            refuse(taken);
        } else {
            run(taken, remote, place, nowNanos);
        }
    }

    /** Resets a socket that no other acceptor may take, and counts the reason. Any thread. */
    void refuseCounted(StreamSocket taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, true);
        if (place != null) {
            owner.release(place);
            owner.count(TcpCounter.NOT_TAKEN_OVER);
        }
        refuse(taken);
    }

    /** @param last whether no other has room, so that it is counted if this one has none */
    private @Nullable Share placeFor(StreamSocket taken, InetSocketAddress remote, long nowNanos, boolean last) {
        try {
            return owner.reserve(remote, nowNanos, last);
        } catch (Throwable e) {
            refuse(taken);
            throw e;
        }
    }

    private void giveBack(StreamSocket taken, Share place) {
        owner.release(place);
        refuse(taken);
    }

    /** Makes a connection of the socket on this loop. Owner only. */
    private void run(StreamSocket taken, InetSocketAddress remote, Share place, long nowNanos) {
        StreamIo stream;
        try {
            stream = new StreamIo(owner, remote, local);
            stream.attach(owner.engines.responder(stream, handler, nowNanos));
        } catch (Throwable e) {
            giveBack(taken, place);
            throw e;
        }
        owner.count(TcpCounter.ACCEPTED);
        try {
            stream.accepted(taken, place, nowNanos);
        } catch (Throwable e) {
            stream.fault(e, nowNanos);
        }
    }

    /**
     * {@return the source of the socket; the wildcard if the peer has left already} If the call throws, the socket is
     * reset.
     */
    static InetSocketAddress remoteOf(StreamSocket taken) {
        try {
            InetSocketAddress remote = taken.remoteAddress();
            return remote == null ? LEFT : remote;
        } catch (IOException e) {
            return LEFT;
        } catch (Throwable e) {
            refuse(taken);
            throw e;
        }
    }

    /** Resets it. */
    static void refuse(StreamSocket taken) {
        try {
            taken.refuse();
        } catch (IOException e) {
            LOG.debug("Refusing a connection failed", e);
        }
    }
}
