package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.HostPort;
import dev.jwarp.io.LoopItem;
import dev.jwarp.io.SocketWatch;
import dev.jwarp.llp.Transport;
import dev.jwarp.transport.tcp.TcpCounter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A listening socket: accepts connections, and assigns each to the least loaded acceptor of the port. */
final class TcpListener extends LoopItem implements Acceptors.Member {
    private static final Logger LOG = LoggerFactory.getLogger(TcpListener.class);

    /** Connections accepted in one turn, before other items get theirs. */
    static final int ACCEPTS_A_LOOK = 64;

    /** Pause after the system had no descriptor left, because an immediate retry would most likely fail too. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final TcpLoop owner;
    private final StreamSocket.Listening socket;
    private final List<Acceptor> own;
    private final Acceptors acceptors;
    private final Consumer<TcpListener> onClosed;
    private @Nullable SocketWatch watch;
    private boolean paused;

    /**
     * Creates a listener that does not accept connections yet.
     *
     * @param own acceptors of this transport, the first on the loop of {@code owner}
     * @param shared whether other listeners may share the port
     */
    TcpListener(
            TcpLoop owner,
            StreamSocket.Listening socket,
            List<Acceptor> own,
            boolean shared,
            Consumer<TcpListener> onClosed) {
        super(owner.loop);
        this.owner = owner;
        this.socket = socket;
        this.own = own;
        this.onClosed = onClosed;
        acceptors = new Acceptors(own, shared);
    }

    /** Begins to accept connections. Owner only. */
    void register() {
        if (!socket.isOpen()) {
            return;
        }
        try {
            watch = socket.watch(loop.watcher(), SelectionKey.OP_ACCEPT, this);
            loop.listening(1);
            loop.items().add(this); // so that the listener ends with the loop
            loop.moreSockets(-1); // not counted as a socket to read
        } catch (IOException e) {
            LOG.debug("The listener at {} was closed before it began", HostPort.text(localAddress()));
        }
    }

    /** Connections wait. Owner only. */
    @Override
    protected void onReady(int operations, long nowNanos) {
        for (int i = 0; i < ACCEPTS_A_LOOK; i++) {
            StreamSocket taken;
            try {
                taken = socket.accept();
            } catch (IOException e) {
                pause(e, nowNanos);
                return;
            }
            if (taken == null) {
                return;
            }
            paused = false;
            acceptors.hand(taken, own.get(0), nowNanos);
        }
    }

    @Override
    protected void fault(Throwable cause, long nowNanos) {
        own.get(0).fault(cause, nowNanos);
    }

    private void pause(IOException cause, long nowNanos) {
        if (!socket.isOpen()) {
            return;
        }
        owner.count(TcpCounter.ACCEPT_FAILED);
        if (!paused) {
            paused = true;
            LOG.warn("Connections at {} have to wait: {}", HostPort.text(localAddress()), cause.getMessage());
        }
        SocketWatch current = watch;
        if (current != null) {
            current.want(0);
        }
        loop.timers().schedule(this, nowNanos + PAUSE_NANOS);
    }

    @Override
    protected void onTimer(long nowNanos) {
        SocketWatch current = watch;
        if (current != null) {
            current.want(SelectionKey.OP_ACCEPT);
        }
    }

    @Override
    protected void abort(long nowNanos) {
        closeSocket();
    }

    /** Owner only: no other thread may close the socket while the owner accepts connections from it. */
    private void closeSocket() {
        SocketWatch current = watch;
        if (current != null) {
            watch = null;
            current.cancel();
            loop.listening(-1);
            loop.items().remove(this);
            loop.moreSockets(1);
        }
        loop.timers().schedule(this, Long.MAX_VALUE);
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("Closing the listener at {} failed", HostPort.text(localAddress()), e);
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    public Acceptors acceptors() {
        return acceptors;
    }

    @Override
    public List<Acceptor> own() {
        return own;
    }

    @Override
    public boolean choosing(Function<InetSocketAddress, Transport.@Nullable Listener> chooser) {
        if (acceptors.isShared()) {
            acceptors.choosing(chooser);
        }
        return acceptors.isShared();
    }

    /** Stops listening; the port is free when this returns, unless the caller is the thread of another loop. Any thread. */
    @Override
    public void close() {
        onClosed.accept(this);
        acceptors.end();
        own.forEach(acceptors::leave);
        loop.closeListener(this::closeSocket);
    }
}
