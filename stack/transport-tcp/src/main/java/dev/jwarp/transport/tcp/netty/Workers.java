package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.GivenLoops;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The program's event loops, as those that move the connections: each connection gets the one that the program chooses. Any thread. */
@SuppressWarnings("deprecation") // who registers a channel calls what is deprecated
final class Workers extends AbstractEventExecutorGroup implements EventLoopGroup {
    private static final String WANTED = "an io.netty.channel.EventLoopGroup of epoll or of java.nio";

    private final List<GivenLoop> loops = new ArrayList<>();
    private final @Nullable Function<InetSocketAddress, ? extends @Nullable Object> choice;
    private final AtomicInteger turn = new AtomicInteger();
    private final Promise<?> never = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);

    /** @throws IllegalArgumentException if nothing can run there */
    Workers(GivenLoops given) {
        choice = given.choice();
        if (!(given.loops() instanceof IoEventLoopGroup group)
                || !(group.isIoType(EpollIoHandler.class) || group.isIoType(NioIoHandler.class))) {
            throw given.unfit("tcp-netty", WANTED);
        }
        for (EventExecutor loop : group) {
            loops.add(new GivenLoop((IoEventLoop) loop));
        }
    }

    /** {@return whether their channels are those of epoll} */
    boolean epoll() {
        return loops.get(0).isIoType(EpollIoHandler.class);
    }

    int size() {
        return loops.size();
    }

    /** {@return the one for a connection with that peer: the program's choice, or else the caller's own, or else the next} */
    GivenLoop of(@Nullable InetSocketAddress remote) {
        Object chosen = choice == null || remote == null ? null : choice.apply(remote);
        for (GivenLoop loop : loops) {
            if (chosen == null ? loop.inEventLoop() : loop.loop() == chosen) {
                return loop;
            }
        }
        if (chosen != null) {
            throw new IllegalArgumentException("The choice of an event loop answered with " + chosen + " for " + remote
                    + ": it is none of those that the context runs on.");
        }
        return next();
    }

    @Override
    public GivenLoop next() {
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** A connection that was taken: its acceptor is not one of these loops. */
    @Override
    public ChannelFuture register(Channel channel) {
        return of(channel.remoteAddress() instanceof InetSocketAddress remote ? remote : null)
                .register(channel);
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        return of(promise.channel().remoteAddress() instanceof InetSocketAddress remote ? remote : null)
                .register(promise);
    }

    @Override
    @Deprecated
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        return of(channel.remoteAddress() instanceof InetSocketAddress remote ? remote : null)
                .register(channel, promise);
    }

    @Override
    public Iterator<EventExecutor> iterator() {
        return List.<EventExecutor>copyOf(loops).iterator();
    }

    // ---- they are the program's: nothing here ends them

    @Override
    public boolean isShuttingDown() {
        return false;
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return never.await(timeout, unit);
    }

    @Override
    public Future<?> terminationFuture() {
        return never;
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        return never;
    }

    @Override
    @Deprecated
    public void shutdown() {}
}
