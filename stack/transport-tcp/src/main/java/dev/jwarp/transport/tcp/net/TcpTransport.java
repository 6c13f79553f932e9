package dev.jwarp.transport.tcp.net;

import dev.jwarp.base.HostPort;
import dev.jwarp.io.Loop;
import dev.jwarp.io.LoopTransport;
import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.StartParameters;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.llp.Transport;
import dev.jwarp.llp.TransportCounter;
import dev.jwarp.llp.UpperLayer;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * MPA over TCP on loops: one that the program polls, or several with threads. Calls of any thread (listen, connect,
 * doorbells) leave a note for the owner of a loop.
 */
public final class TcpTransport extends LoopTransport implements Transport {
    private static final String CLOSED = "this transport is closed";

    private final TransportContext context;
    private final StreamSocket.Opener sockets;
    private final Loops loops;
    private final IdentityHashMap<Loop, TcpLoop> owners = new IdentityHashMap<>();
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Maximum number of bytes of one read. */
    static final int RING = 1 << 18;

    /**
     * Opens the transport.
     *
     * @param mode how callers of {@code await} wait
     * @param count number of loops
     * @param sockets creates the opener of sockets for the loops
     */
    public TcpTransport(
            TcpSettings settings,
            WaitMode mode,
            int count,
            Loops.Opener opener,
            Function<Loops, StreamSocket.Opener> sockets) {
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        context = new TransportContext(settings, epoch, count);
        try {
            loops = opener.open(watcher -> new Loop(mode, RING, watcher, context::noteFailed));
            this.sockets = sockets.apply(loops);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        } catch (IOException e) {
            context.close();
            throw Loops.noSelector(e);
        }
        try {
            for (Loop loop : loops.all()) {
                owners.put(loop, new TcpLoop(loop, context, this.sockets));
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private TcpLoop owner(Loop loop) {
        return Objects.requireNonNull(owners.get(loop));
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler) {
        checkOpen();
        try {
            return unlessClosed(listen(sockets.listen(local, backlog), backlog, handler));
        } catch (IOException | RuntimeException e) {
            ConnectProblem problem = ConnectProblem.ofListen(local, sockets.whyNotBound(local, e), e);
            throw new LlpException(problem.failure(), problem.sentence());
        }
    }

    @Override
    public @Nullable Listener listen(Listener with, int backlog, ConnectionHandler handler) {
        if (!(with instanceof Acceptors.Member other)
                || !loops.inline()
                || !other.acceptors().isShared()) {
            return null; // sockets of one kind of loop do not work on another
        }
        checkOpen();
        SharedPortListener listener = new SharedPortListener(
                acceptors(other.localAddress(), backlog, handler), other.acceptors(), listeners::remove);
        listeners.add(listener);
        if (!listener.begin()) {
            listener.close();
            throw new LlpException(
                    LlpFailure.REFUSED,
                    "no connections arrive at " + HostPort.text(listener.localAddress())
                            + ": the listener that has the port was closed");
        }
        return unlessClosed(listener);
    }

    private List<Acceptor> acceptors(InetSocketAddress local, int backlog, ConnectionHandler handler) {
        return loops.all().stream()
                .map(loop -> new Acceptor(owner(loop), local, handler, backlog))
                .toList();
    }

    private Listener unlessClosed(Listener listener) {
        if (closed.get()) { // meanwhile, possibly without closing this listener
            listener.close();
            checkOpen();
        }
        return listener;
    }

    private TcpListener listen(StreamSocket.Listening socket, int backlog, ConnectionHandler handler)
            throws IOException {
        try {
            List<Acceptor> own = acceptors(socket.localAddress(), backlog, handler);
            Loop first = loops.first();
            TcpListener listener = new TcpListener(owner(first), socket, own, loops.inline(), listeners::remove);
            if (loops.choosing()) {
                listener.acceptors().choosing(remote -> chosen(own, remote), true);
            }
            listeners.add(listener);
            first.note(() -> {
                if (!closed.get()) {
                    listener.register();
                }
            });
            return listener;
        } catch (Throwable e) {
            socket.close();
            throw e;
        }
    }

    private @Nullable List<Acceptor> chosen(List<Acceptor> own, InetSocketAddress remote) {
        Loop chosen = loops.chosen(remote);
        return chosen == null ? null : List.of(own.get(loops.all().indexOf(chosen)));
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
        TcpLoop owner = owner(loops.toward(remote));
        Loop loop = owner.loop;
        StreamIo stream = new StreamIo(owner, remote, local);
        StreamEngine engine = owner.engines.initiator(stream, offer, timeoutNanos, upper, handler, loop.now());
        stream.attach(engine);
        loop.note(() -> {
            try {
                begin(owner, stream);
            } catch (Throwable e) {
                stream.fault(e, loop.now());
            }
        });
        return engine.connection();
    }

    private void begin(TcpLoop owner, StreamIo stream) {
        if (closed.get() || owner.loop.isClosed()) { // meanwhile
            stream.refuse(new ConnectProblem(LlpFailure.LOCAL, CLOSED));
        } else if (owner.reserve()) {
            stream.connect(owner.loop.now());
        } else {
            stream.refuse(ConnectProblem.limit(
                    stream.remoteAddress(), context.maxConnections(), TcpSetting.MAX_CONNECTIONS.key()));
        }
    }

    private void checkOpen() {
        if (closed.get()) {
            throw new LlpException(LlpFailure.LOCAL, CLOSED);
        }
    }

    @Override
    public Loops loops() {
        return loops;
    }

    /** Any thread; waits until the loops are closed, except within a callback of a loop. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        List.copyOf(listeners).forEach(Listener::close);
        loops.close(context::close);
    }

    @Override
    public List<TransportCounter> counters() {
        return TcpCounter.list(context.counters());
    }

    @Override
    public void limits(LimitSink sink) {
        context.limits(sink);
    }

    /** {@return the current number of connections} */
    public int connections() {
        return context.connections();
    }
}
