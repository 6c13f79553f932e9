package dev.jwarp.transport.tcp.net;

import dev.jwarp.llp.Transport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Divides the connections of one port among acceptors. A connection goes to the acceptor whose loop has the fewest
 * connections, round-robin among equals; if that acceptor has no room, to the next by load. An acceptor has no room if
 * it has reached a limit, or if too many connections wait for its owner. A connection that no acceptor takes is reset.
 * Any thread.
 */
@SuppressWarnings("ReferenceEquality") // identity
final class Acceptors {
    /** A listener that shares a port with others. */
    interface Member extends Transport.Listener {
        /** {@return all listeners of the port} */
        Acceptors acceptors();

        /** {@return its acceptors} */
        List<Acceptor> own();
    }

    private final List<Acceptor> members = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** Whether the port is closed. Guarded by this. */
    private boolean ended;

    /** Chooses the acceptors for a connection with a peer. */
    interface Choice {
        /** {@return the acceptors that may take the connection; null for any} */
        @Nullable
        List<Acceptor> of(InetSocketAddress remote);
    }

    private volatile Choice choice = remote -> null;

    /** Whether a connection is reset if the chosen acceptors have no room for it; otherwise others get it. */
    private volatile boolean strict;

    private final boolean shared;

    /** @param shared whether others may join */
    Acceptors(List<Acceptor> first, boolean shared) {
        this.shared = shared;
        members.addAll(first);
    }

    /** {@return whether others may join} */
    boolean isShared() {
        return shared;
    }

    /** {@return whether these acceptors take connections from now on} False after the port is closed. */
    synchronized boolean join(List<Acceptor> acceptors) {
        return !ended && members.addAll(acceptors);
    }

    /** The port is closed: no listener joins from now on. */
    synchronized void end() {
        ended = true;
    }

    /** Removes an acceptor; its queued sockets go to the others. */
    void leave(Acceptor acceptor) {
        members.remove(acceptor);
        for (StreamSocket left : acceptor.close()) {
            if (!given(members.toArray(), left, Acceptor.remoteOf(left), null, System.nanoTime())) {
                acceptor.abandon(left);
            }
        }
    }

    /**
     * Assigns a socket to one of the acceptors. If {@code own} is chosen, it accepts the socket at once; it also resets
     * the socket if no acceptor has room. Called by the owner of {@code own}.
     */
    void hand(StreamSocket taken, Acceptor own, long nowNanos) {
        InetSocketAddress remote = Acceptor.remoteOf(taken);
        List<Acceptor> chosen = chosen(taken, remote);
        if (chosen != null && given(chosen.toArray(), taken, remote, own, nowNanos)) {
            return;
        }
        if (chosen != null && strict) {
            own.refuseCounted(taken, remote, nowNanos);
        } else if (!given(members.toArray(), taken, remote, own, nowNanos)) {
            own.takeOrRefuse(taken, remote, nowNanos);
        }
    }

    private boolean given(
            Object[] untried, StreamSocket taken, InetSocketAddress remote, @Nullable Acceptor own, long nowNanos) {
        int from = turn.getAndIncrement();
        for (int next = least(untried, from); next >= 0; next = least(untried, from)) {
            Acceptor one = (Acceptor) untried[next];
            if (offered(one, taken, remote, own, nowNanos)) {
                return true;
            }
            untried[next] = null;
        }
        return false;
    }

    private static boolean offered(
            Acceptor one, StreamSocket taken, InetSocketAddress remote, @Nullable Acceptor own, long nowNanos) {
        return one == own ? one.take(taken, remote, nowNanos) : one.offer(taken, remote, nowNanos);
    }

    /** Sets the choice for later connections; {@code strictly} if no other acceptor may take them. */
    void choosing(Choice asked, boolean strictly) {
        strict = strictly;
        choice = asked;
    }

    /** Sets a choice of members: the chosen member takes a connection if it has room. */
    void choosing(Function<InetSocketAddress, Transport.@Nullable Listener> chooser) {
        choosing(
                remote -> chooser.apply(remote) instanceof Member member && member.acceptors() == this
                        ? member.own()
                        : null,
                false);
    }

    private @Nullable List<Acceptor> chosen(StreamSocket taken, InetSocketAddress remote) {
        try {
            return choice.of(remote);
        } catch (Throwable e) {
            Acceptor.refuse(taken);
            throw e;
        }
    }

    /**
     * {@return the index of the acceptor with the fewest connections, the first from {@code from} on; -1 if there is
     * none}
     */
    private static int least(Object[] untried, int from) {
        int least = -1;
        int leastLoad = Integer.MAX_VALUE;
        for (int i = 0; i < untried.length; i++) {
            int place = Math.floorMod(from + i, untried.length);
            int load = untried[place] instanceof Acceptor one ? one.load() : Integer.MAX_VALUE;
            if (load < leastLoad) {
                least = place;
                leastLoad = load;
            }
        }
        return least;
    }
}
