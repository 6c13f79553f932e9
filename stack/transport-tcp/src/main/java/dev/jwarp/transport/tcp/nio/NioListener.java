package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.HostPort;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening address: takes the connections that wait, and hands each to the least loaded of those that listen here. */
final class NioListener extends Timed implements NioAcceptors.Member {
    private static final Logger LOG = LoggerFactory.getLogger(NioListener.class);

    /** Connections taken before others get their turn. */
    static final int ACCEPTS_A_LOOK = 64;

    /** Rest after the system had no descriptor left: asking again at once would only burn time. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final NioShared shared;
    private final ServerSocketChannel channel;
    private final NioAcceptor acceptor;
    private final NioAcceptors acceptors;
    private final Consumer<NioListener> onClosed;
    private @Nullable SelectionKey key;
    private boolean paused;

    /** @param acceptor what takes connections of this transport; the first of those that listen here */
    NioListener(
            TcpLoop loop,
            NioShared shared,
            ServerSocketChannel channel,
            NioAcceptor acceptor,
            Consumer<NioListener> onClosed) {
        super(loop);
        this.shared = shared;
        this.channel = channel;
        this.acceptor = acceptor;
        this.onClosed = onClosed;
        acceptors = new NioAcceptors(acceptor);
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
            LOG.debug("The listener at {} was closed before it began", HostPort.text(localAddress()));
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
            acceptors.hand(taken, acceptor, nowNanos);
        }
    }

    @Override
    void fault(Throwable cause, long nowNanos) {
        acceptor.fault(cause, nowNanos);
    }

    private void pause(IOException cause, long nowNanos) {
        if (!channel.isOpen()) {
            return;
        }
        shared.count(TcpCounter.ACCEPT_FAILED);
        if (!paused) {
            paused = true;
            LOG.warn("Connections at {} have to wait: {}", HostPort.text(localAddress()), cause.getMessage());
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
        return acceptor.localAddress();
    }

    @Override
    public NioAcceptors acceptors() {
        return acceptors;
    }

    @Override
    public NioAcceptor acceptor() {
        return acceptor;
    }

    @Override
    public boolean choosing(Function<InetSocketAddress, Transport.@Nullable Listener> chooser) {
        acceptors.choosing(chooser);
        return true;
    }

    /** Stops listening; the port is free when this returns. Any thread. */
    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("Closing the listener at {} failed", HostPort.text(localAddress()), e);
        }
        onClosed.accept(this);
        acceptors.end();
        acceptors.leave(acceptor);
        if (channel.isRegistered()) {
            loop.onListenerClosed(this);
        }
    }
}
