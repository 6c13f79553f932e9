package dev.jwarp.transport.tcp.nio;

import dev.jwarp.ddp.llp.Transport;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Those among which the connections of one port are divided: each goes to the one whose transport has fewest, and to the next in turn
 * where several have as few. A socket is always one acceptor's, or the caller's: one that is not taken is given to another, or reset.
 * Any thread.
 */
@SuppressWarnings("ReferenceEquality") // that very one
final class NioAcceptors {
    /** What listens at a port with others. */
    interface Member extends Transport.Listener {
        /** {@return all that listen there} */
        NioAcceptors acceptors();
    }

    private final List<NioAcceptor> members = new CopyOnWriteArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();

    NioAcceptors(NioAcceptor first) {
        members.add(first);
    }

    /** One more takes connections. */
    void join(NioAcceptor acceptor) {
        members.add(acceptor);
    }

    /** One takes no more; what it has not come to goes to the others. */
    void leave(NioAcceptor acceptor) {
        members.remove(acceptor);
        for (SocketChannel left : acceptor.close()) {
            hand(left);
            ;
        }
    }

    /** Gives a socket to one of them. {@code own} takes it at once if it is its turn, or if no other has room. The owner of {@code own}. */
    void hand(SocketChannel taken, NioAcceptor own, long nowNanos) {
        NioAcceptor next = next(own);
        while (next != null && next != own) {
            if (next.offer(taken)) {
                return;
            }
            next = next(own);
        }
        own.take(taken, nowNanos);
    }

    private void hand(SocketChannel taken) {
        for (NioAcceptor next = next(null); next != null; next = next(null)) {
            if (next.offer(taken)) {
                return;
            }
        }
        NioAcceptor.refuse(taken);
    }

    /** {@return whose turn it is; {@code own} always has room; null if none has} */
    private @Nullable NioAcceptor next(@Nullable NioAcceptor own) {
        NioAcceptor least = null;
        long leastLoad = Long.MAX_VALUE;
        Object[] present = members.toArray();
        int from = turn.getAndIncrement();
        for (int i = 0; i < present.length; i++) {
            NioAcceptor one = (NioAcceptor) present[Math.floorMod(from + i, present.length)];
            if (one == own || one.hasRoom()) {
                long load = one.load();
                if (load < leastLoad) {
                    least = one;
                    leastLoad = load;
                }
            }
        }
        return least;
    }
}
