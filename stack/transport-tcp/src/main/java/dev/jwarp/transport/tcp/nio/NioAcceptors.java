package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.Transport;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Those among which the connections of one port are divided: each goes to the one whose transport has fewest, and to the next in turn
 * where several have as few; to the next by load if that one has no room: too many wait for its owner, or it has reached a limit. A
 * socket is always one acceptor's, or the caller's: one that none takes is reset. Any thread.
 */
@SuppressWarnings("ReferenceEquality") // that very one
final class NioAcceptors {
    /** What listens at a port with others. */
    interface Member extends Transport.Listener {
        /** {@return all that listen there} */
        NioAcceptors acceptors();

        /** {@return what takes its connections} */
        NioAcceptor acceptor();
    }

    private final List<NioAcceptor> members = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    /** The port is closed. Guarded by this. */
    private boolean ended;

    private volatile @Nullable Function<InetSocketAddress, Transport.@Nullable Listener> chooser;

    NioAcceptors(NioAcceptor first) {
        members.add(first);
    }

    /** {@return whether one more takes connections from now on} Not once the port is closed: none would come. */
    synchronized boolean join(NioAcceptor acceptor) {
        return !ended && members.add(acceptor);
    }

    /** The port is closed: none joins from now on. */
    synchronized void end() {
        ended = true;
    }

    /** One takes no more; what it has not come to goes to the others. */
    void leave(NioAcceptor acceptor) {
        members.remove(acceptor);
        for (SocketChannel left : acceptor.close()) {
            if (!given(left, NioAcceptor.remoteOf(left), null, System.nanoTime())) {
                acceptor.abandon(left);
            }
        }
    }

    /**
     * Gives a socket to one of them. {@code own} takes it at once if it is its turn; it resets it if none of them has room. The owner
     * of {@code own}.
     */
    void hand(SocketChannel taken, NioAcceptor own, long nowNanos) {
        InetSocketAddress remote = NioAcceptor.remoteOf(taken);
        NioAcceptor chosen = chosen(taken, remote);
        if (chosen != null && offered(chosen, taken, remote, own, nowNanos)) {
            return;
        }
        if (!given(taken, remote, own, nowNanos)) {
            own.takeOrRefuse(taken, remote, nowNanos);
        }
    }

    private boolean given(SocketChannel taken, InetSocketAddress remote, @Nullable NioAcceptor own, long nowNanos) {
        Object[] untried = members.toArray();
        int from = turn.getAndIncrement();
        for (int next = least(untried, from); next >= 0; next = least(untried, from)) {
            NioAcceptor one = (NioAcceptor) untried[next];
            if (offered(one, taken, remote, own, nowNanos)) {
                return true;
            }
            untried[next] = null;
        }
        return false;
    }

    private static boolean offered(
            NioAcceptor one, SocketChannel taken, InetSocketAddress remote, @Nullable NioAcceptor own, long nowNanos) {
        return one == own ? one.take(taken, remote, nowNanos) : one.offer(taken, remote, nowNanos);
    }

    /** Each is asked which one takes a connection. */
    void choosing(Function<InetSocketAddress, Transport.@Nullable Listener> which) {
        chooser = which;
    }

    /** {@return the one that the program wants; null: it has no wish} */
    private @Nullable NioAcceptor chosen(SocketChannel taken, InetSocketAddress remote) {
        Function<InetSocketAddress, Transport.@Nullable Listener> asked = chooser;
        if (asked == null) {
            return null;
        }
        try {
            return asked.apply(remote) instanceof Member member && member.acceptors() == this
                    ? member.acceptor()
                    : null;
        } catch (Throwable e) {
            NioAcceptor.refuse(taken);
            throw e;
        }
    }

    /** {@return where the one with fewest connections is, the first of them from {@code from} on; -1 if there is none} */
    private static int least(Object[] untried, int from) {
        int least = -1;
        int leastLoad = Integer.MAX_VALUE;
        for (int i = 0; i < untried.length; i++) {
            int place = Math.floorMod(from + i, untried.length);
            int load = untried[place] instanceof NioAcceptor one ? one.load() : Integer.MAX_VALUE;
            if (load < leastLoad) {
                least = place;
                leastLoad = load;
            }
        }
        return least;
    }
}
