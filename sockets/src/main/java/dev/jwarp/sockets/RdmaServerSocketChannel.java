package dev.jwarp.sockets;

import dev.jwarp.sockets.connection.HostAddresses;
import dev.jwarp.sockets.connection.StreamAcceptor;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.stream.SocketFault;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A ServerSocketChannel to which sockets connect over RDMA. */
final class RdmaServerSocketChannel extends TimedServerSocketChannel {
    private static final int BACKLOG = 50;

    private final SocketContext sockets;
    private final Readiness readiness;
    private final StreamOptions options = new StreamOptions(JdkOptions.OF_LISTENERS);
    private final @Nullable ProtocolFamily family;
    private final ReentrantLock acceptLock = new ReentrantLock();

    /** Guards what follows. */
    private final Object state = new Object();

    private volatile @Nullable StreamAcceptor listener;

    /**
     * Made without a bind.
     *
     * @param family of its addresses; null for any
     */
    RdmaServerSocketChannel(SelectorProvider provider, SocketContext sockets, @Nullable ProtocolFamily family) {
        super(provider);
        this.family = family;
        this.sockets = sockets;
        readiness = new Readiness(sockets, blockingLock());
    }

    @Override
    public ServerSocketChannel bind(@Nullable SocketAddress local, int backlog) throws IOException {
        synchronized (state) {
            checkOpen();
            if (listener != null) {
                throw new AlreadyBoundException();
            }
            InetSocketAddress where = local == null ? new InetSocketAddress(0) : HostAddresses.checked(local, family);
            listener = StreamAcceptor.at(sockets, readiness, options::settings, where, backlog < 1 ? BACKLOG : backlog);
        }
        return this;
    }

    @Override
    public @Nullable SocketChannel accept() throws IOException {
        return take(SocketContext.FOR_EVER, false);
    }

    @Override
    SocketChannel accept(Duration patience) throws IOException {
        SocketChannel accepted = take(patience, true);
        if (accepted == null) {
            throw SocketFault.ACCEPT_LATE.exception("no connection came within " + patience.toMillis() + " ms");
        }
        return accepted;
    }

    /** @param timed whether the channel must block */
    private @Nullable SocketChannel take(Duration patience, boolean timed) throws IOException {
        acceptLock.lock();
        try {
            boolean blocking = isBlocking(); // read during the turn, because another thread may change the mode before
            if (timed && !blocking) {
                throw new IllegalBlockingModeException();
            }
            StreamAcceptor from = checkBound();
            StreamConnection taken = null;
            boolean late = false;
            try {
                if (blocking) {
                    begin();
                    taken = await(from, patience);
                    late = taken == null && isOpen();
                } else {
                    taken = from.take();
                    if (taken == null) {
                        sockets.poll();
                        taken = from.take();
                    }
                }
            } finally {
                if (blocking) {
                    end(taken, late);
                }
            }
            return taken == null
                    ? null
                    : sockets.using(
                            new RdmaSocketChannel(provider(), sockets, options.accepted(), null, null).of(taken));
        } finally {
            acceptLock.unlock();
        }
    }

    /** As {@link #end(boolean)}. Closes a connection that cannot be returned because the thread was interrupted. */
    private void end(@Nullable StreamConnection taken, boolean late) throws AsynchronousCloseException {
        boolean given = false;
        try {
            end(taken != null || late);
            given = true;
        } finally {
            if (!given && taken != null) {
                taken.close();
            }
        }
    }

    private StreamAcceptor checkBound() throws ClosedChannelException {
        checkOpen();
        StreamAcceptor current = listener;
        if (current == null) {
            throw new NotYetBoundException();
        }
        return current;
    }

    /** Waits for a connection. Returns null if the time is over, the channel is closed, or the thread is interrupted. */
    private @Nullable StreamConnection await(StreamAcceptor from, Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        long left = patience.toNanos();
        StreamConnection taken = from.take();
        while (taken == null && isOpen() && left > 0 && !Thread.currentThread().isInterrupted()) {
            readiness.awaitInput(Duration.ofNanos(left));
            taken = from.take();
            left = deadline - System.nanoTime();
        }
        if (Thread.currentThread().isInterrupted()) {
            begin(); // driving the context removes the interrupt hook, so this call closes the channel
        }
        return taken;
    }

    @Override
    @Nullable
    SocketAddress knownLocal() {
        StreamAcceptor current = listener;
        return current == null ? null : current.localAddress();
    }

    @Override
    protected void implCloseSelectableChannel() {
        StreamAcceptor last;
        synchronized (state) {
            last = listener;
        }
        readiness.close();
        if (last != null) {
            last.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) {}

    @Override
    public Readiness readiness() {
        return readiness;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        options.check(name);
        checkOpen();
        options.set(name, value);
        return this;
    }

    @Override
    public <T> @Nullable T getOption(SocketOption<T> name) throws IOException {
        options.check(name);
        checkOpen();
        return options.tell(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    StreamOptions options() {
        return options;
    }

    @Override
    public String toString() {
        StreamAcceptor current = listener;
        String where = !isOpen() ? "closed" : current == null ? "unbound" : String.valueOf(current.localAddress());
        return "jwarp.ServerSocketChannel[" + where + "]";
    }
}
