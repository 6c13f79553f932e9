package dev.jwarp.transport.udp.netty;

import dev.jwarp.base.HostPort;
import dev.jwarp.base.Ringer;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.ddp.llp.GivenLoops;
import dev.jwarp.ddp.llp.LlpException;
import dev.jwarp.ddp.llp.LlpFailure;
import dev.jwarp.ddp.llp.datagram.DatagramEngineFactory;
import dev.jwarp.transport.udp.net.SocketAddresses;
import dev.jwarp.transport.udp.net.UdpContext;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The thread that moves the ports of one transport, and what they share. Event loop only, unless said otherwise. */
@SuppressWarnings("FutureReturnValueIgnored") // tasks tell what went wrong by themselves
final class EpollLoop implements Ringer.Owner {
    private static final Logger LOG = LoggerFactory.getLogger(EpollLoop.class);
    /** A slot for whatever a read may bring, put together or not. */
    private static final int SLOT = 1 << 16;

    private static final long SHUTDOWN_SECONDS = 10;

    /** Its own; null if the loop is the program's. */
    private final @Nullable MultiThreadIoEventLoopGroup group;

    private final IoEventLoop eventLoop;
    private final UdpContext context;
    private final DatagramEngineFactory engines;
    private final ByteBuffer slot = ByteBuffer.allocateDirect(SLOT);
    private final SocketAddresses addresses = new SocketAddresses();
    private final List<EpollPort> ports = new ArrayList<>();
    private final AfterCalls afterCalls = new AfterCalls();
    private final Runnable runAfterCalls = this::runAfterCalls;
    private volatile boolean closed;

    /** @throws IllegalArgumentException if no socket of epoll can be on the program's loops */
    EpollLoop(UdpContext context, @Nullable GivenLoops given) {
        this.context = context;
        group = given == null
                ? new MultiThreadIoEventLoopGroup(
                        1, new DefaultThreadFactory("jwarp-udp", true), EpollIoHandler.newFactory())
                : null;
        eventLoop = group != null ? group.next() : oneOf(Objects.requireNonNull(given));
        engines = context.newEngines();
    }

    private static IoEventLoop oneOf(GivenLoops given) {
        if (given.choice() == null
                && given.loops() instanceof IoEventLoopGroup theirs
                && theirs.isIoType(EpollIoHandler.class)) {
            return theirs.next();
        }
        throw given.unfit("udp-netty", "an io.netty.channel.EventLoopGroup of epoll, without a choice");
    }

    // ---- any thread

    UdpContext context() {
        return context;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void execute(Runnable task) {
        try {
            eventLoop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.trace("The event loop has ended: there is nothing to look at any more", e);
        }
    }

    /** See {@link dev.jwarp.ddp.llp.Progressing#later}. */
    void later(Runnable task) {
        if (eventLoop.inEventLoop()) {
            afterCalls.add(task);
            runAfterCallsLater(); // no engine may be in a call
            return;
        }
        try {
            eventLoop.execute(() -> later(task));
        } catch (RejectedExecutionException e) {
            GlobalEventExecutor.INSTANCE.execute(task); // the loop has ended; the caller may hold a lock
        }
    }

    boolean isMine() {
        return eventLoop.inEventLoop();
    }

    /** Runs a task on the event loop, at once if that is the caller. When the loop has ended, the caller is the owner. */
    void executeOrRun(Runnable task) {
        if (eventLoop.inEventLoop() || eventLoop.isTerminated()) {
            task.run();
            return;
        }
        try {
            eventLoop.execute(task);
        } catch (RejectedExecutionException e) {
            eventLoop.terminationFuture().awaitUninterruptibly();
            task.run();
        }
    }

    /** The same, and back when it has been run. */
    void executeAndWait(Runnable task) {
        if (eventLoop.inEventLoop()) {
            task.run();
            return;
        }
        CountDownLatch done = new CountDownLatch(1);
        executeOrRun(() -> {
            try {
                task.run();
            } finally {
                done.countDown();
            }
        });
        awaitUninterruptibly(done);
    }

    private static void awaitUninterruptibly(CountDownLatch done) {
        boolean interrupted = false;
        while (done.getCount() > 0) {
            try {
                done.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- event loop

    /** Any thread; throws what keeps the port from coming about. */
    void addAndWait(EpollPort port) {
        AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        executeAndWait(() -> {
            try {
                if (!closed) {
                    add(port);
                }
            } catch (Throwable e) {
                thrown.set(e);
                port.giveUp(e);
            }
        });
        Throwable cause = thrown.get();
        if (cause != null) {
            throw new LlpException(
                    LlpFailure.LOCAL, "UDP port " + HostPort.text(port.localAddress()) + " failed: " + cause);
        }
    }

    private void add(EpollPort port) {
        port.open(engines.open(port, System.nanoTime()));
        ports.add(port);
        port.begin();
    }

    void remove(EpollPort port) {
        ports.remove(port);
    }

    /** Registers at once: the caller is the event loop. */
    IoRegistration register(EpollHandle handle) {
        return eventLoop.register(handle).syncUninterruptibly().getNow();
    }

    /** {@return what runs tasks on this thread, and when it is time for them} */
    ScheduledExecutorService eventLoop() {
        return eventLoop;
    }

    /** {@return what waits for descriptors on this thread} */
    IoEventLoop ioLoop() {
        return eventLoop;
    }

    /**
     * Runs what rings for the next look of a port. The event loop runs tasks as long as there are any, for up to a second: a port that
     * rang at once would keep input and timers of all waiting while it sends. Event loop only.
     */
    void atEndOfRound(Runnable task) {
        if (eventLoop instanceof SingleThreadEventLoop rounds) {
            try {
                rounds.executeAfterEventLoopIteration(task);
            } catch (RejectedExecutionException e) {
                LOG.trace("The event loop has ended: there are no rounds any more", e);
            }
        } else {
            task.run();
        }
    }

    /** Has what there is done behind other tasks of the event loop. */
    void runAfterCallsLater() {
        execute(runAfterCalls);
    }

    private void runAfterCalls() {
        afterCalls.run();
        if (!afterCalls.isEmpty()) {
            runAfterCallsLater();
        }
    }

    /** {@return what is to be done when the event loop is out of an engine's call} */
    AfterCalls afterCalls() {
        return afterCalls;
    }

    ByteBuffer slot() {
        return slot;
    }

    SocketAddresses addresses() {
        return addresses;
    }

    /** Reads what is there for a port. If a layer above throws, that is told, and does not stop the others. */
    void receive(EpollPort port) {
        try {
            port.receive();
        } catch (Throwable e) {
            report("a layer above UDP port " + HostPort.text(port.localAddress()), e);
        }
    }

    /** Looks at a port, likewise. */
    void look(EpollPort port) {
        try {
            port.look();
        } catch (Throwable e) {
            report("a layer above UDP port " + HostPort.text(port.localAddress()), e);
        }
    }

    void report(String where, Throwable e) {
        context.report(where, e);
    }

    /** Any thread; back when all is closed, unless the caller is the event loop. */
    void close() {
        executeAndWait(() -> {
            List.copyOf(ports).forEach(EpollPort::closeNow);
            closed = true;
        });
        if (group != null) {
            group.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS);
            if (!eventLoop.inEventLoop()) {
                group.terminationFuture().awaitUninterruptibly();
            }
        }
    }
}
