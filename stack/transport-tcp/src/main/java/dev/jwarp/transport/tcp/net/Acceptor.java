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
 * Creates connections from accepted sockets, for one handler on one loop. If the listener is on another loop, sockets
 * wait here unread for the owner of this loop. A socket counts as a connection of this transport from the moment it is
 * queued here.
 */
final class Acceptor extends LoopItem {
    private static final Logger LOG = LoggerFactory.getLogger(Acceptor.class);

    private static final InetSocketAddress LEFT = new InetSocketAddress(0);

    /** A queued socket, and its share of the connection limit. */
    private record Handed(StreamSocket taken, InetSocketAddress remote, Share place) {}

    private final TcpLoop owner;
    private final InetSocketAddress local;
    private final ConnectionHandler handler;
    private final int most;

    /** The sockets that wait for the owner. Guarded by itself, as are the next fields. */
    private final ArrayDeque<Handed> handed = new ArrayDeque<>();

    /** Whether a note or a timer is pending that handles the queued sockets. */
    private boolean awaited;

    private boolean closed;

    /** Whether this acceptor is counted as a listener of the loop. Owner only. */
    private boolean listening;

    /** @param most maximum number of queued sockets */
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

    /** {@return the number of connections of its loop, including queued sockets} Any thread. */
    int load() {
        return owner.connections();
    }

    /**
     * {@return whether this acceptor has queued the socket} False if the queue is full or a limit is reached. If the
     * call throws, the socket is reset. Any thread.
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
            loop.note(this::scheduleHanded);
        } catch (Throwable e) {
            synchronized (handed) {
                awaited = false; // the next socket tries again
            }
            throw e;
        }
    }

    /**
     * Handles queued sockets in a timer, not in this note, because an owner runs notes as long as there are any. Owner
     * only.
     */
    private void scheduleHanded() {
        if (loop.isClosed()) { // timers no longer fire
            close().forEach(this::abandon);
            return;
        }
        loop.timers().schedule(this, loop.stepTime());
    }

    /** Handles some of the queued sockets; if more are left, other items have their turn first. Owner only. */
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

    /** A socket failed before it became a connection; the queued sockets are handled later. */
    @Override
    protected void fault(Throwable cause, long nowNanos) {
        owner.count(TcpCounter.ACCEPT_FAILED);
        owner.context.noteFailed(cause);
    }

    /**
     * {@return the queued sockets, which belong to the caller from now on} This acceptor accepts no more sockets. Any
     * thread.
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
     * Resets a socket that was queued here when the acceptor was closed, because no other acceptor has room. Any
     * thread.
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

    /** @param last whether this is the last acceptor to try, so that a failure is counted */
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

    /** Creates a connection from the socket on this loop. Owner only. */
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

    /** Resets the socket. */
    static void refuse(StreamSocket taken) {
        try {
            taken.refuse();
        } catch (IOException e) {
            LOG.debug("Refusing a connection failed", e);
        }
    }
}
