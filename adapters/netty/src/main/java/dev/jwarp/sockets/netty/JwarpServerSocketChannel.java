package dev.jwarp.sockets.netty;

import dev.jwarp.sockets.connection.StreamAcceptor;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamWatcher;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A server channel for streams over RDMA. Each connection belongs to one event loop from its first byte on; the loops
 * with which the accepted channels are registered take turns. These loops are known only after the first channel is
 * registered, so the first one stays with this channel's loop.
 */
public final class JwarpServerSocketChannel extends LoopChannel implements ServerSocketChannel {
    private static final InternalLogger LOG = InternalLoggerFactory.getInstance(JwarpServerSocketChannel.class);

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final JwarpServerSocketChannelConfig config = new JwarpServerSocketChannelConfig(this);

    /** The takers of all loops, with connections that the program has not read yet. */
    private final List<Taker> takers = new CopyOnWriteArrayList<>();

    private final List<Worker> workers = new CopyOnWriteArrayList<>();
    private int turn;
    private int asks;
    private volatile @Nullable StreamAcceptor listener;

    /** Creates an unbound channel. */
    public JwarpServerSocketChannel() {
        super(null);
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    /** A loop that gets a share of the connections. */
    private record Worker(EventLoop loop, StreamAcceptor listener) {}

    @Override
    public ServerSocketChannelConfig config() {
        return config;
    }

    @Override
    public boolean isActive() {
        return open && listener != null;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        StreamAcceptor bound = listener;
        return bound == null ? null : bound.localAddress();
    }

    @Override
    protected void doBind(SocketAddress local) throws IOException {
        if (!(local instanceof InetSocketAddress where)) {
            throw new IOException("RDMA has addresses of the Internet, not " + local);
        }
        JwarpIoHandler handler = loopHandler();
        Taker taker = new Taker(handler);
        StreamAcceptor bound = StreamAcceptor.at(handler.home(), taker, config::streams, where, config.getBacklog());
        begin(taker, bound);
        bound.choosing(this::next);
        listener = bound;
    }

    /** {@return the listener for the next connection} The loop's thread. */
    private StreamAcceptor next() {
        if (workers.isEmpty()) {
            return Objects.requireNonNull(listener);
        }
        turn = (turn + 1) % workers.size();
        return workers.get(turn).listener;
    }

    /**
     * An accepted channel is registered with a loop: further connections may belong to this loop from the beginning.
     */
    void learn(EventLoop loop) {
        JwarpIoHandler handler = JwarpIoHandler.of(loop);
        StreamAcceptor own = listener;
        if (handler == null || own == null || !open || workers.stream().anyMatch(worker -> worker.loop == loop)) {
            return;
        }
        if (loop == eventLoop()) {
            workers.add(new Worker(loop, own));
            return;
        }
        try {
            Taker taker = new Taker(handler);
            StreamAcceptor joined = StreamAcceptor.with(handler.home(), taker, own);
            begin(taker, joined);
            workers.add(new Worker(loop, joined));
        } catch (IOException e) {
            LOG.warn("{} gets no share of the connections", loop, e);
        }
    }

    private void begin(Taker taker, StreamAcceptor from) {
        taker.from = from;
        takers.add(taker);
        taker.set(SelectionKey.OP_ACCEPT); // connections may have come meanwhile
    }

    /**
     * Reports connections that come to one loop. They wait there, counted in the backlog, until the program reads them.
     */
    private final class Taker implements StreamWatcher {
        private final JwarpIoHandler handler;
        private final AtomicBoolean asked = new AtomicBoolean();
        private volatile @Nullable StreamAcceptor from;

        Taker(JwarpIoHandler handler) {
            this.handler = handler;
        }

        @Override
        public void set(int bits) {
            if (bits != 0 && asked.compareAndSet(false, true)) {
                try {
                    eventLoop().execute(this::look);
                } catch (RejectedExecutionException e) {
                    LOG.debug("{} has ended, and accepts no more connections", eventLoop(), e);
                }
            }
        }

        private void look() {
            asked.set(false);
            readArrived();
        }

        /** {@return the oldest waiting connection; null if none waits} */
        @Nullable
        JwarpSocketChannel take() {
            StreamAcceptor listens = from;
            StreamConnection taken = listens == null ? null : listens.take();
            return taken == null ? null : new JwarpSocketChannel(JwarpServerSocketChannel.this, handler, taken);
        }
    }

    /** Polls the takers in turn. */
    private void readArrived() {
        boolean any = false;
        int empty = 0;
        while ((readPending || (any && config.isAutoRead())) && open && empty < takers.size()) {
            asks = (asks + 1) % takers.size();
            JwarpSocketChannel next = takers.get(asks).take();
            if (next == null) {
                empty++;
                continue;
            }
            empty = 0;
            any = true;
            readPending = false; // a request from here on is for the next connection
            pipeline().fireChannelRead(next);
        }
        if (any) {
            pipeline().fireChannelReadComplete();
        }
    }

    @Override
    protected void doBeginRead() {
        if (readPending) {
            return;
        }
        readPending = true;
        eventLoop().execute(this::readArrived); // earlier connections wait there
    }

    @Override
    protected void doClose() {
        open = false;
        StreamAcceptor last = listener;
        if (last != null) {
            last.close();
        }
        for (Worker worker : workers) {
            if (worker.listener != last) {
                worker.listener.close();
            }
        }
    }

    // ---- operations that a server channel does not have

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new LoopUnsafe() {
            @Override
            public void connect(SocketAddress remote, @Nullable SocketAddress local, ChannelPromise promise) {
                promise.tryFailure(never());
            }
        };
    }

    @Override
    protected void doDisconnect() {
        throw never();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
        throw never();
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        throw never();
    }

    private static UnsupportedOperationException never() {
        return new UnsupportedOperationException("a server channel neither connects nor carries bytes");
    }
}
