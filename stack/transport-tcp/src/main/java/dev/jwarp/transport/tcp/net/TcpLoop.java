package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.Share;
import dev.jwarp.io.Loop;
import dev.jwarp.llp.StreamEngineFactory;
import dev.jwarp.transport.tcp.TcpCounter;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A loop, and the shared objects of its connections. Any thread; the engines are for the owner only. */
final class TcpLoop {
    final Loop loop;
    final TransportContext context;
    final StreamSocket.Opener sockets;
    final StreamEngineFactory engines;
    private final AtomicInteger connections = new AtomicInteger();

    TcpLoop(Loop loop, TransportContext context, StreamSocket.Opener sockets) {
        this.loop = loop;
        this.context = context;
        this.sockets = sockets;
        engines = context.newEngines();
    }

    void count(TcpCounter counter) {
        context.counters().countShared(counter);
    }

    /** {@return the number of connections of the loop, including queued sockets} */
    int connections() {
        return connections.get();
    }

    /** {@return whether one more connection to a peer is permitted, which is counted then} */
    boolean reserve() {
        boolean reserved = context.reserveConnection();
        if (reserved) {
            connections.incrementAndGet();
        }
        return reserved;
    }

    /** {@return as {@link TransportContext#reserveConnection(InetSocketAddress, long, boolean)}} */
    @Nullable
    Share reserve(InetSocketAddress remote, long nowNanos, boolean last) {
        Share place = context.reserveConnection(remote, nowNanos, last);
        if (place != null) {
            connections.incrementAndGet();
        }
        return place;
    }

    /**
     * A reserved connection has ended; {@code place} is the share of an accepted connection, null for a connection to a
     * peer.
     */
    void release(@Nullable Share place) {
        connections.decrementAndGet();
        context.releaseConnection(place);
    }
}
