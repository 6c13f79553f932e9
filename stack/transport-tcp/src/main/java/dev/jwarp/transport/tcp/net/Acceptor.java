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
 * Makes connections of the sockets that a listener took, for one handler on one loop. The listener may be that of another loop: then
 * sockets, of which nothing was read yet, wait here until the owner of this loop comes. Each has its place among the connections of
 * this transport from the moment at which it is this one's.
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

    /** Those that wait for the owner. Guarded by itself, as what follows. */
    private final ArrayDeque<Handed> handed = new ArrayDeque<>();

    /** Whether the owner will come to them, by a note or by a timer. */
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

    /** A blocking read, which a connection that comes cannot end, is none for this loop from now on. Any thread. */
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
     * {@return whether it is this one's from now on} Not if too many wait already, or if there is no place for one more connection.
     * One that this throws at is reset. Any thread.
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

    /** As one of the things that are due, not in the note: an owner runs notes as long as there are any. Owner only. */
    private void comeToHanded() {
        if (loop.isClosed()) { // no timer fires any more
            close().forEach(this::abandon);
            return;
        }
        loop.timers().schedule(this, loop.stepTime());
    }

    /** Takes some of those that wait; the others get their turn first if there are more. Owner only. */
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

    /** A connection was lost before it was one; those that wait are taken next time. */
    @Override
    protected void fault(Throwable cause, long nowNanos) {
        owner.count(TcpCounter.ACCEPT_FAILED);
        owner.context.noteFailed(cause);
    }

    /** {@return those that no owner came for, which are the caller's from now on} It takes no more. Any thread. */
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

    /** Resets one that waited for this one, which was closed: no other has room. Any thread. */
    void abandon(StreamSocket left) {
        owner.count(TcpCounter.NOT_TAKEN_OVER);
        refuse(left);
    }

    /** {@return whether it is a connection of this thread's loop now} Not if there is no place for one more. Owner only. */
    boolean take(StreamSocket taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, false);
        if (place == null) {
            return false;
        }
        run(taken, remote, place, nowNanos);
        return true;
    }

    /** As {@link #take}, but one without a place is reset, which is counted: no other has room either. Owner only. */
    void takeOrRefuse(StreamSocket taken, InetSocketAddress remote, long nowNanos) {
        Share place = placeFor(taken, remote, nowNanos, true);
        if (place == null) {
            refuse(taken);
        } else {
            run(taken, remote, place, nowNanos);
        }
    }

    /** Resets one that no other may have, and counts why. Any thread. */
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

    /** Makes a connection of it, which this thread's loop moves. Owner only. */
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

    /** {@return whose it is; the wildcard if the peer has left already} What this throws at is reset. */
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
