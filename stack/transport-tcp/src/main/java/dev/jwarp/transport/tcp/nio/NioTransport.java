package dev.jwarp.transport.tcp.nio;

import dev.jwarp.base.HostPort;
import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.LimitSink;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.UpperLayer;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.ConnectProblem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * MPA over TCP, inline: connections move while a thread polls or waits, and that thread is their owner. What any thread
 * may call (listen, connect, doorbells) leaves a note for the next poll.
 */
final class NioTransport implements Transport {
    private static final String CLOSED = "this transport is closed";

    private final NioShared shared;
    private final TcpLoop loop;
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Opens it. */
    NioTransport(TcpSettings settings) {
        this(settings, null);
    }

    /** @param given what the program runs; null for its own selector */
    NioTransport(TcpSettings settings, @Nullable GivenLoops given) {
        this(new NioShared(settings), shared -> new TcpLoop(shared, given));
    }

    /** Makes the loop. */
    interface LoopMaker {
        TcpLoop make(NioShared shared) throws IOException;
    }

    /** With what the transport shares, which is closed where the loop fails. */
    NioTransport(NioShared shared, LoopMaker maker) {
        this.shared = shared;
        try {
            loop = maker.make(shared);
        } catch (RuntimeException | Error e) {
            shared.close();
            throw e;
        } catch (IOException e) {
            shared.close();
            throw new LlpException(LlpFailure.LIMIT_REACHED, "no selector can be opened: " + e.getMessage());
        }
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler) {
        checkOpen();
        try {
            return unlessClosed(listen(shared.sockets.listen(local, backlog), backlog, handler));
        } catch (IOException | RuntimeException e) {
            ConnectProblem problem = ConnectProblem.ofListen(local, NioFailure.ofBind(local, e), e);
            throw new LlpException(problem.failure(), problem.sentence());
        }
    }

    @Override
    public @Nullable Listener listen(Listener with, int backlog, ConnectionHandler handler) {
        if (!(with instanceof NioAcceptors.Member other)) {
            return null;
        }
        checkOpen();
        NioAcceptor acceptor = new NioAcceptor(loop, shared, other.localAddress(), handler, backlog);
        NioGuest guest = new NioGuest(loop, acceptor, other.acceptors(), listeners::remove);
        listeners.add(guest);
        if (!guest.begin()) {
            guest.close();
            throw new LlpException(
                    LlpFailure.REFUSED,
                    "nothing comes to " + HostPort.text(guest.localAddress())
                            + " any more: what has the port was closed");
        }
        return unlessClosed(guest);
    }

    private Listener unlessClosed(Listener listener) {
        if (closed) { // meanwhile, and perhaps without this one
            listener.close();
            checkOpen();
        }
        return listener;
    }

    private NioListener listen(ServerSocketChannel channel, int backlog, ConnectionHandler handler) throws IOException {
        try {
            InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
            NioAcceptor acceptor = new NioAcceptor(loop, shared, bound, handler, backlog);
            NioListener listener = new NioListener(loop, shared, channel, acceptor, listeners::remove);
            listeners.add(listener);
            loop.note(() -> {
                if (!closed) {
                    listener.register();
                }
            });
            return listener;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public LlpConnection connect(
            InetSocketAddress remote,
            @Nullable InetSocketAddress local,
            StartParameters offer,
            long timeoutNanos,
            UpperLayer upper,
            ConnectionHandler handler) {
        checkOpen();
        NioStream stream = new NioStream(loop, shared, remote, local);
        StreamEngine engine = shared.engines.initiator(stream, offer, timeoutNanos, upper, handler, loop.now());
        stream.attach(engine);
        loop.note(() -> {
            try {
                begin(stream);
            } catch (Throwable e) {
                stream.fault(e, loop.now());
            }
        });
        return engine.connection();
    }

    private void begin(NioStream stream) {
        if (closed) { // meanwhile
            stream.refuse(new ConnectProblem(LlpFailure.LOCAL, CLOSED));
        } else if (shared.context.reserveConnection()) {
            stream.connect(loop.now());
        } else {
            stream.refuse(ConnectProblem.limit(
                    stream.remoteAddress(), shared.context.maxConnections(), TcpSetting.MAX_CONNECTIONS.key()));
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new LlpException(LlpFailure.LOCAL, CLOSED);
        }
    }

    @Override
    public boolean inline() {
        return true;
    }

    @Override
    public boolean poll() {
        return !closed && loop.poll();
    }

    @Override
    public boolean flush() {
        return !closed && loop.flush();
    }

    @Override
    public void await(long nanos) {
        if (!closed) {
            loop.await(nanos);
        }
    }

    @Override
    public void wakeup() {
        loop.wakeup();
    }

    @Override
    public boolean ready(SelectionKey key) {
        return loop.ready(key);
    }

    @Override
    public long untilPoll() {
        return loop.untilPoll();
    }

    @Override
    public void later(Runnable task) {
        loop.later(task);
    }

    @Override
    public boolean movedHere() {
        return loop.isMine();
    }

    /** Any thread; waits until a caller of {@link #await} has left. From within a callback: at the end of that poll. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        loop.asOwner(() -> {
            for (Listener listener : listeners) {
                listener.close();
            }
            loop.close();
            shared.close();
        });
    }

    @Override
    public List<TransportCounter> counters() {
        return TcpCounter.list(shared.context.counters());
    }

    @Override
    public void limits(LimitSink sink) {
        shared.context.limits(sink);
    }

    int connections() {
        return shared.context.connections();
    }
}
