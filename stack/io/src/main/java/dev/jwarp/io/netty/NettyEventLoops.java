package dev.jwarp.io.netty;

import dev.jwarp.io.Loop;
import dev.jwarp.io.Loops;
import dev.jwarp.llp.GivenLoops;
import io.netty.channel.ChannelException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Loops on event loops of Netty: own epoll event loops, or those of the program. Any thread. */
@SuppressWarnings("FutureReturnValueIgnored") // the group is awaited elsewhere if possible
public final class NettyEventLoops extends Loops {
    private static final long SHUTDOWN_SECONDS = 10;
    private static final String WANTED = "an io.netty.channel.EventLoopGroup of epoll or of java.nio";

    private final IoEventLoopGroup group;
    private final List<EventExecutor> eventLoops = new ArrayList<>();

    /** The event loops of the program; null for an own group. */
    private final @Nullable GivenLoops given;

    /**
     * Creates loops with own threads.
     *
     * @param name name of the threads
     */
    public NettyEventLoops(Maker maker, int count, String name) throws IOException {
        this(maker, newGroup(count, name), null);
    }

    private static IoEventLoopGroup newGroup(int count, String name) throws IOException {
        try {
            return new MultiThreadIoEventLoopGroup(
                    count, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
        } catch (IllegalStateException | ChannelException e) { // no descriptors
            throw new IOException(e.getMessage(), e);
        }
    }

    /**
     * Creates loops on the program's event loops, which continue after the loops are closed.
     *
     * @param transport name of the transport
     * @throws IllegalArgumentException if the event loops are not supported
     */
    public NettyEventLoops(Maker maker, GivenLoops given, String transport) throws IOException {
        this(maker, ofProgram(given, transport), given);
    }

    /**
     * {@return one loop, on the next of the program's event loops}
     *
     * @param transport name of the transport
     * @throws IllegalArgumentException if the event loops are not supported, or the program has a function that chooses
     */
    public static NettyEventLoops one(Maker maker, GivenLoops given, String transport) throws IOException {
        if (given.choice() != null) {
            throw given.unfit(transport, WANTED + ", without a choice");
        }
        return new NettyEventLoops(maker, ofProgram(given, transport).next(), given);
    }

    NettyEventLoops(Maker maker, IoEventLoopGroup group, @Nullable GivenLoops given) throws IOException {
        this.group = group;
        this.given = given;
        try {
            for (EventExecutor eventLoop : group) {
                add(maker.make(loop -> new EventLoopWatcher(loop, (IoEventLoop) eventLoop)));
                eventLoops.add(eventLoop);
            }
        } catch (Throwable e) {
            close(() -> {}); // the descriptors of the event loops, and the buffers of the existing loops
            throw e;
        }
    }

    private static IoEventLoopGroup ofProgram(GivenLoops given, String transport) {
        if (given.loops() instanceof IoEventLoopGroup theirs
                && (theirs.isIoType(EpollIoHandler.class) || theirs.isIoType(NioIoHandler.class))) {
            return theirs;
        }
        throw given.unfit(transport, WANTED);
    }

    /** {@return the number of event loops of the program; 1 for other objects} */
    public static int count(GivenLoops given) {
        int count = 0;
        if (given.loops() instanceof IoEventLoopGroup theirs) {
            for (EventExecutor ignored : theirs) {
                count++;
            }
        }
        return Math.max(1, count);
    }

    /** {@return whether the event loops wait for descriptors (epoll); otherwise for channels of java.nio} */
    public boolean epoll() {
        return group.isIoType(EpollIoHandler.class);
    }

    /** {@return the event loop of the first loop} */
    public EventLoop eventLoop() {
        return (EventLoop) eventLoops.get(0);
    }

    @Override
    public boolean inline() {
        return false;
    }

    /**
     * On the program's event loops: the loop that the program chooses, or else the caller's own loop, or else the next
     * one, round-robin.
     */
    @Override
    public Loop toward(InetSocketAddress remote) {
        Loop own = given == null ? null : chosen(remote);
        if (given != null && own == null) {
            own = here();
        }
        return own == null ? next() : own;
    }

    @Override
    public boolean choosing() {
        return given != null && given.choice() != null;
    }

    @Override
    public @Nullable Loop chosen(InetSocketAddress remote) {
        Function<InetSocketAddress, ? extends @Nullable Object> choice = given == null ? null : given.choice();
        Object chosen = choice == null ? null : choice.apply(remote);
        if (chosen == null) {
            return null;
        }
        for (int i = 0; i < eventLoops.size(); i++) {
            if (eventLoops.get(i) == chosen) {
                return all().get(i);
            }
        }
        throw new IllegalArgumentException("The choice of an event loop answered with " + chosen + " for " + remote
                + ": it is none of those that the context runs on.");
    }

    @Override
    protected void release(boolean waits) {
        if (given == null) {
            group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            if (waits) {
                group.terminationFuture().awaitUninterruptibly();
            }
        }
    }
}
