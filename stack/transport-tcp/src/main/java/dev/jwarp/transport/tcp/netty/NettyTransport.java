package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LimitSink;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.Progressing;
import dev.jwarp.ddp.llp.StartParameters;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.ddp.llp.Transport;
import dev.jwarp.ddp.llp.TransportCounter;
import dev.jwarp.ddp.llp.UpperLayer;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSetting;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.ConnectProblem;
import dev.jwarp.transport.tcp.net.TransportContext;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** MPA over TCP, threaded: Netty's event loops move the connections, each its own. */
@SuppressWarnings("FutureReturnValueIgnored") // the groups are awaited where that is possible
final class NettyTransport implements Transport, Progressing.Threaded {
    private static final long SHUTDOWN_SECONDS = 10;

    private final TransportContext context;
    private final NettySockets sockets;

    /** Takes connections; a thread of its own, so that those who listen may wait for it wherever they are. */
    private final MultiThreadIoEventLoopGroup acceptor;

    private final EventLoopGroup workers;

    /** The same, if they are the program's. */
    private final @Nullable Workers given;

    private final IdentityHashMap<EventExecutor, NettyLoop> loops = new IdentityHashMap<>();
    private final Set<NettyListener> listeners = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private boolean released;
    private final Promise<@Nullable Void> ended = GlobalEventExecutor.INSTANCE.newPromise();

    NettyTransport(TcpSettings settings) {
        this(settings, new NettySockets(settings));
    }

    /** With these sockets. */
    NettyTransport(TcpSettings settings, NettySockets sockets) {
        this(settings, sockets, null);
    }

    /** On these event loops of the program. */
    NettyTransport(TcpSettings settings, Workers given) {
        this(settings, new NettySockets(settings, given.epoll()), given);
    }

    private NettyTransport(TcpSettings settings, NettySockets sockets, @Nullable Workers given) {
        long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
        int wanted = (int) settings.number(TcpSetting.EVENT_LOOPS);
        int workerCount = given != null
                ? given.size()
                : wanted == 0 ? Runtime.getRuntime().availableProcessors() : wanted;
        context = new TransportContext(settings, epoch, workerCount);
        this.sockets = sockets;
        this.given = given;
        acceptor = newAcceptor();
        workers = given != null ? given : newWorkers(workerCount);
        try {
            for (EventExecutor worker : workers) {
                loops.put(worker, new NettyLoop((EventLoop) worker, context));
            }
        } catch (Throwable e) {
            close(); // the descriptors of the loops, and the buffers of those that there are
            throw e;
        }
    }

    private MultiThreadIoEventLoopGroup newAcceptor() {
        try {
            return new MultiThreadIoEventLoopGroup(
                    1, new DefaultThreadFactory("jwarp-tcp-accept", true), sockets.ioHandlers());
        } catch (Throwable e) {
            context.close();
            throw e;
        }
    }

    private MultiThreadIoEventLoopGroup newWorkers(int count) {
        try {
            return new MultiThreadIoEventLoopGroup(
                    count, new DefaultThreadFactory("jwarp-tcp", true), sockets.ioHandlers());
        } catch (Throwable e) {
            acceptor.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            context.close();
            throw e;
        }
    }

    private NettyLoop loopOf(EventExecutor worker) {
        return Objects.requireNonNull(loops.get(worker));
    }

    @Override
    public Listener listen(InetSocketAddress local, int backlog, ConnectionHandler handler) {
        checkOpen();
        ChannelFuture binding = sockets.server(backlog)
                .group(acceptor, workers)
                .handler(new NettyListener.FailureCounter(context))
                .childHandler(new NettyListener.Taker(context, taken -> loopOf(taken.eventLoop()), handler))
                .bind(local)
                .awaitUninterruptibly();
        Throwable cause = binding.cause();
        if (cause != null) {
            ConnectProblem problem = ConnectProblem.ofListen(local, sockets.whyNoListener(local, cause), cause);
            throw new LlpException(problem.failure(), problem.sentence());
        }
        NettyListener listener = new NettyListener(binding.channel(), listeners::remove);
        listeners.add(listener);
        return listener;
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
        NettyLoop loop = loopOf(given == null ? workers.next() : given.of(remote));
        NettyStream stream = new NettyStream(loop, remote, local, this::connect);
        StreamEngine engine = loop.engines().initiator(stream, offer, timeoutNanos, upper, handler, System.nanoTime());
        stream.attach(engine);
        try {
            loop.eventLoop().execute(() -> {
                if (context.reserveConnection()) {
                    stream.start(null);
                } else {
                    stream.connectFailed(
                            ConnectProblem.limit(remote, context.maxConnections(), TcpSetting.MAX_CONNECTIONS.key()));
                }
            });
        } catch (RejectedExecutionException e) {
            throw closedAlready();
        }
        return engine.connection();
    }

    /** The TCP connection of a stream; on its event loop. */
    private void connect(NettyStream stream) {
        InetSocketAddress remote = stream.remoteAddress();
        if (remote.isUnresolved()) {
            stream.connectFailed(ConnectProblem.unknownHost(remote));
            return;
        }
        Bootstrap bootstrap = sockets.client(stream.loop()).handler(stream);
        InetSocketAddress local = stream.wantedLocal();
        ChannelFuture connecting = local == null ? bootstrap.connect(remote) : bootstrap.connect(remote, local);
        connecting.addListener((ChannelFuture done) -> {
            Throwable cause = done.cause();
            if (cause != null) {
                stream.connectFailed(
                        ConnectProblem.ofConnect(remote, local, sockets.whyNoConnection(local, cause), cause));
            }
        });
    }

    private void checkOpen() {
        if (closed) {
            throw closedAlready();
        }
    }

    private static LlpException closedAlready() {
        return new LlpException(LlpFailure.LOCAL, "this transport is closed");
    }

    /** Any thread; waits until the event loops have ended, unless the caller is one of them. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (NettyListener listener : listeners) {
            listener.close();
        }
        if (loops.isEmpty()) {
            shutDown();
        }
        // A loop that shuts down closes its channels in order; ours are to be reset before that.
        AtomicInteger left = new AtomicInteger(loops.size());
        for (NettyLoop loop : loops.values()) {
            executeOrRun(loop, () -> {
                loop.close();
                if (left.decrementAndGet() == 0) {
                    shutDown();
                }
            });
        }
        if (!movedHere()) {
            ended.awaitUninterruptibly();
        }
    }

    /** On the event loop; or here, if it has ended: the program's may have. */
    private static void executeOrRun(NettyLoop loop, Runnable task) {
        try {
            loop.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            loop.eventLoop().terminationFuture().addListener(done -> task.run());
        }
    }

    private void shutDown() {
        acceptor.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
        acceptor.terminationFuture().addListener(accepted -> {
            if (given != null) {
                releaseBehind();
            } else {
                workers.terminationFuture().addListener(done -> release());
                workers.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            }
        });
    }

    /** The program's loops go on: what they shared here is released behind the last that they do for it. */
    private void releaseBehind() {
        if (loops.isEmpty()) {
            release();
        }
        AtomicInteger left = new AtomicInteger(loops.size());
        for (NettyLoop loop : loops.values()) {
            executeOrRun(loop, () -> {
                if (left.decrementAndGet() == 0) {
                    release();
                }
            });
        }
    }

    /** Once, when no event loop runs any more. */
    private synchronized void release() {
        if (!released) {
            released = true;
            loops.values().forEach(NettyLoop::release);
            context.close();
            ended.setSuccess(null);
        }
    }

    @Override
    public void later(Runnable task) {
        NettyLoop own = loopHere();
        if (own != null) {
            own.later(task);
            return;
        }
        try {
            loopOf(workers.next()).laterHere(task);
        } catch (RejectedExecutionException e) {
            GlobalEventExecutor.INSTANCE.execute(task); // that loop has ended; the caller may hold a lock
        }
    }

    @Override
    public boolean movedHere() {
        return loopHere() != null;
    }

    private @Nullable NettyLoop loopHere() {
        for (NettyLoop loop : loops.values()) {
            if (loop.eventLoop().inEventLoop()) {
                return loop;
            }
        }
        return null;
    }

    @Override
    public List<TransportCounter> counters() {
        return TcpCounter.list(context.counters());
    }

    @Override
    public void limits(LimitSink sink) {
        context.limits(sink);
    }

    boolean isEpoll() {
        return sockets.isEpoll();
    }

    /** {@return connections at this moment} */
    int connections() {
        return context.connections();
    }
}
