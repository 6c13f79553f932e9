package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.HostPort;
import dev.jwarp.base.Share;
import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.transport.tcp.TcpCounter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening address: takes the connections that wait, and hands each to an engine. */
final class NioListener extends Timed implements Transport.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(NioListener.class);

    /** Connections taken before others get their turn. */
    private static final int ACCEPTS_A_LOOK = 64;

    /** Rest after the system had no descriptor left: asking again at once would only burn time. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final TcpLoop loop;
    private final NioShared shared;
    private final ServerSocketChannel channel;
    private final InetSocketAddress local;
    private final ConnectionHandler handler;
    private final Consumer<NioListener> onClosed;
    private @Nullable SelectionKey key;
    private boolean paused;

    NioListener(
            TcpLoop loop,
            NioShared shared,
            ServerSocketChannel channel,
            InetSocketAddress local,
            ConnectionHandler handler,
            Consumer<NioListener> onClosed) {
        this.loop = loop;
        this.shared = shared;
        this.channel = channel;
        this.local = local;
        this.handler = handler;
        this.onClosed = onClosed;
    }

    /** Begins to take connections. Owner only. */
    void register() {
        if (!channel.isOpen()) {
            return;
        }
        try {
            key = loop.selector().register(channel, SelectionKey.OP_ACCEPT, this);
            loop.listening(1);
        } catch (ClosedChannelException e) {
            LOG.debug("The listener at {} was closed before it began", HostPort.text(local));
        }
    }

    /** Connections wait. Owner only. */
    void onReady(long nowNanos) {
        for (int i = 0; i < ACCEPTS_A_LOOK; i++) {
            SocketChannel taken;
            try {
                taken = channel.accept();
            } catch (IOException e) {
                pause(e, nowNanos);
                return;
            }
            if (taken == null) {
                return;
            }
            paused = false;
            run(taken, nowNanos);
        }
    }

    private void run(SocketChannel taken, long nowNanos) {
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

    /** A connection was lost before it was one; those that wait are taken next time. */
    @Override
    @SuppressWarnings("ReferenceEquality") // that very one
    boolean isOf(TcpLoop other) {
        return loop == other;
    }

    @Override
    void fault(Throwable cause, long nowNanos) {
        shared.count(TcpCounter.ACCEPT_FAILED);
        shared.noteFailed(cause);
    }

    private static InetSocketAddress remoteOf(SocketChannel taken) {
        try {
            return (InetSocketAddress) taken.getRemoteAddress();
        } catch (IOException e) {
            return new InetSocketAddress(0); // it has left already
        }
    }

    private static void refuse(SocketChannel taken) {
        try (taken) {
            NioSockets.resetOnClose(taken); // no half-open rest, and the peer knows at once
        } catch (IOException e) {
            LOG.debug("Refusing a connection failed", e);
        }
    }

    private void pause(IOException cause, long nowNanos) {
        if (!channel.isOpen()) {
            return;
        }
        shared.count(TcpCounter.ACCEPT_FAILED);
        if (!paused) {
            paused = true;
            LOG.warn("Connections at {} have to wait: {}", HostPort.text(local), cause.getMessage());
        }
        SelectionKey current = key;
        if (current != null && current.isValid()) {
            current.interestOps(0);
        }
        loop.timers().schedule(this, nowNanos + PAUSE_NANOS);
    }

    @Override
    void onTimer(long nowNanos) {
        SelectionKey current = key;
        if (current != null && current.isValid()) {
            current.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    /** The channel is closed: nothing more is wanted. Owner only. */
    void deregister() {
        if (key != null) {
            key = null;
            loop.listening(-1);
        }
        loop.timers().schedule(this, Long.MAX_VALUE);
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    /** Stops listening; the port is free when this returns. Any thread. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("Closing the listener at {} failed", HostPort.text(local), e);
        }
        onClosed.accept(this);
        if (channel.isRegistered()) {
            loop.onListenerClosed(this);
        }
    }
}
