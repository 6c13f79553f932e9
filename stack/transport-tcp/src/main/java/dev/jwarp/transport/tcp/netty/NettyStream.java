package dev.jwarp.transport.tcp.netty;

import dev.jwarp.base.Share;
import dev.jwarp.ddp.llp.AfterCalls;
import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.net.ConnectProblem;
import dev.jwarp.transport.tcp.net.InputFirst;
import dev.jwarp.transport.tcp.net.netty.TcpInfo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection: moves the octets between a Netty channel and an engine, and does to the channel what the engine
 * says. The owner is the channel's event loop; all methods are its own unless they say otherwise.
 */
@SuppressWarnings("FutureReturnValueIgnored") // what comes of a write or a close, the channel's events tell
final class NettyStream extends ChannelInboundHandlerAdapter implements StreamDriver {
    private static final Logger LOG = LoggerFactory.getLogger(NettyStream.class);

    /** Looks in a row before others get their turn. */
    private static final int ROUNDS = 4;

    private final NettyLoop loop;
    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress wantedLocal;
    private final @Nullable Connector connector;
    private final Doorbell doorbell;
    private final NettyOutput output;
    private final NettyTimer timer;

    /** Rings when a timer that is due has had its input read. */
    private final Doorbell timeout;

    private boolean timeoutWaits;
    private final InputFirst input = new InputFirst();
    private volatile InetSocketAddress local;
    private @Nullable StreamEngine engine;
    private @Nullable Channel channel;

    /** What TCP tells of the channel's socket; made when it is asked for the first time. */
    private @Nullable TcpInfo info;

    private boolean connected;

    /** In a call of the engine or about to make one: a look follows, so none must begin within. */
    private boolean busy;

    private boolean lookAgain;

    /** What is done after calls is under way: a look follows. */
    private boolean handing;

    private boolean reserved;
    private @Nullable Share place;
    private boolean over;

    /** A stream from {@code wantedLocal}, or from anywhere if that is null, to {@code remote}. Any thread. */
    NettyStream(
            NettyLoop loop,
            InetSocketAddress remote,
            @Nullable InetSocketAddress wantedLocal,
            @Nullable Connector connector) {
        this.loop = loop;
        this.remote = remote;
        this.wantedLocal = wantedLocal;
        this.connector = connector;
        local = wantedLocal == null ? new InetSocketAddress(0) : wantedLocal;
        doorbell = new Doorbell(loop.rounds(), this::onDoorbell);
        output = new NettyOutput();
        timer = new NettyTimer(loop.eventLoop(), this::onTimer);
        timeout = new Doorbell(loop.rounds(), this::onTimeout);
    }

    /** Says what runs here; once, before all else. Any thread. */
    void attach(StreamEngine driven) {
        engine = driven;
    }

    private StreamEngine engine() {
        return Objects.requireNonNull(engine);
    }

    NettyLoop loop() {
        return loop;
    }

    @Nullable
    InetSocketAddress wantedLocal() {
        return wantedLocal;
    }

    // ---- life

    /** Begins: a connection is reserved for it; {@code reservation} is its place if a listener took it. */
    void start(@Nullable Share reservation) {
        reserved = true;
        place = reservation;
        try {
            loop.add(this);
        } catch (Throwable e) {
            fault(e);
        }
        if (connector != null) {
            call(now -> connector.connect(this)); // a look follows: its deadline
        }
    }

    /** This handler goes to another channel only after it has left its first one (RFC 6581 §10). */
    @Override
    public boolean isSharable() {
        return true;
    }

    void connectFailed(ConnectProblem problem) {
        if (over || connected) {
            return;
        }
        call(now -> engine().onConnectFailed(problem.failure(), problem.sentence(), now));
        close(false);
    }

    /** The handler is in its channel's pipeline, which is not connected yet or just so. */
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (over) {
            ctx.channel().close(); // aborted before there was a channel
            return;
        }
        channel = ctx.channel();
        try {
            channel.config().setRecvByteBufAllocator(loop.ringAllocator(engine()));
            // Now: what is thrown where Netty would make it, at the first
            // input, ends the event loop and all its connections.
            channel.unsafe().recvBufAllocHandle();
            onConnected(ctx.channel());
        } catch (Throwable e) {
            fault(e); // Netty would take it out of the pipeline, and it would not hear of its end
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        onConnected(ctx.channel());
    }

    /** {@return false for a channel that was left, and for one that is not connected yet} */
    private boolean isCurrent(ChannelHandlerContext ctx) {
        return !over && connected && ctx.channel() == channel;
    }

    private void onConnected(Channel active) {
        if (connected || over || !active.isActive()) {
            return;
        }
        connected = true;
        if (active.localAddress() instanceof InetSocketAddress address) {
            local = address;
        }
        keepAlive(loop.context().settings().keepAlive());
        call(now -> engine().onConnected(now));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (isCurrent(ctx)) {
            call(now -> engine().onBroken(now));
        }
    }

    // ---- in

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf read = (ByteBuf) message;
        try {
            if (!isCurrent(ctx)) {
                return;
            }
            long now = System.nanoTime();
            input.read(read.readableBytes(), read.isWritable());
            busy = true;
            try {
                engine().receive(loop.octetsOf(read), now);
            } finally {
                busy = false;
            }
            look(now);
        } catch (Throwable e) {
            fault(e);
        } finally {
            read.release();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE && isCurrent(ctx)) {
            call(now -> engine().onInputClosed(now));
        }
    }

    /** Netty found the connection broken, or failed itself; everything of ours is caught where it is thrown. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("The connection with {} broke", remote, cause);
            if (isCurrent(ctx)) {
                boolean timedOut = NettyEnd.timedOut(cause, ctx.channel().isOpen());
                call(now -> {
                    if (timedOut) {
                        engine().onTimedOut(now);
                    } else {
                        engine().onBroken(now);
                    }
                });
            }
        } else if (ctx.channel() == channel) {
            fault(cause);
        }
    }

    /** What came before is handled first: the process may have got no time for a while. */
    private void onTimer() {
        timer.ran();
        if (over || timeoutWaits) {
            return;
        }
        try {
            beginTimeout();
        } catch (Throwable e) {
            fault(e);
        }
    }

    private void beginTimeout() {
        input.begin();
        timeout.ringBehindInput();
        timeoutWaits = true;
    }

    private void onTimeout() {
        timeout.heard();
        timeoutWaits = false;
        call(now -> {
            long due = engine().nextTimeout();
            if (due > now) {
                return; // it was put off meanwhile
            }
            if (!input.isDrained() && input.waits(due, receiveBuffer())) {
                beginTimeout();
            } else {
                engine().onTimeout(now);
            }
        });
    }

    /** {@return octets that the system holds at most before they are read} */
    private long receiveBuffer() {
        Integer octets = channel == null ? null : channel.config().getOption(ChannelOption.SO_RCVBUF);
        return octets == null ? 0 : octets;
    }

    /** Something that happens to the engine. */
    private interface Event {
        void tell(long nowNanos);
    }

    /** Tells the engine of something that does not happen on the data path. */
    private void call(Event event) {
        if (over) {
            return;
        }
        boolean within = busy;
        try {
            long now = System.nanoTime();
            busy = true;
            try {
                event.tell(now);
            } finally {
                busy = within;
            }
            look(now);
        } catch (Throwable e) {
            if (busy) {
                throw e; // to whoever is in a call of the engine: it must not end within
            }
            fault(e);
        }
    }

    // ---- out

    private void onDoorbell() {
        doorbell.heard();
        call(now -> {}); // a look
    }

    /** Does what the engine wants: writes, ends, sets the timer. After every call into the engine. */
    private void look(long nowNanos) {
        if (busy) {
            lookAgain = true;
            return;
        }
        runAfterCalls();
        for (int rounds = 0; rounds == 0 || (lookAgain && !over); rounds++) {
            if (rounds == ROUNDS) {
                wakeupBehindInput(); // others come first
                break;
            }
            lookAgain = false;
            writeAndObey(nowNanos);
            runAfterCalls();
        }
        if (!over) {
            timer.schedule(engine().nextTimeout(), nowNanos);
        }
    }

    /** A look without what is done after calls. */
    private void lookAlone(long nowNanos) {
        if (busy) {
            lookAgain = true;
            return;
        }
        lookAgain = false;
        writeAndObey(nowNanos);
        if (!over) {
            timer.schedule(engine().nextTimeout(), nowNanos);
        }
        if (lookAgain) {
            doorbell.ring();
        }
    }

    private void writeAndObey(long nowNanos) {
        busy = true;
        try {
            if (!over) {
                write(nowNanos);
            }
            obey();
        } finally {
            busy = false;
        }
    }

    /** What those above wanted to do outside of the engine's calls: the next look is near, so they need not ask for it. */
    private void runAfterCalls() {
        AfterCalls tasks = loop.afterCalls();
        if (!tasks.isEmpty()) {
            boolean within = handing;
            handing = true;
            try {
                tasks.run();
            } finally {
                handing = within;
            }
            loop.runAfterCallsLater();
        }
    }

    private void write(long nowNanos) {
        for (int writes = 0;
                !endsTurn(writes) && engine().prepareOutput(nowNanos) && connected && output.isIdle();
                writes++) {
            output.write(Objects.requireNonNull(channel), engine());
            if (output.isIdle()) {
                return; // the channel is closed, and will say so
            }
            output.finish(channel, engine(), nowNanos);
        }
    }

    private boolean endsTurn(int writes) {
        if (!output.isIdle() || !engine().endsTurn(writes)) {
            return false;
        }
        wakeupBehindInput(); // others come first
        return true;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (output.waits() && isCurrent(ctx)) {
            call(now -> output.finish(channel, engine(), now));
        }
    }

    private void obey() {
        switch (over ? StreamEngine.Ending.OPEN : engine().ending()) {
            case OPEN -> {}
            case SHUT_DOWN_OUTPUT -> {
                if (connected && channel instanceof DuplexChannel duplex && !duplex.isOutputShutdown()) {
                    duplex.shutdownOutput();
                }
            }
            case CLOSE -> close(false);
            case ABORT -> close(true);
            case RECONNECT -> {
                if (connected && connector != null) {
                    leaveChannel(false);
                    connector.connect(this);
                }
            }
        }
    }

    /** A call threw: the connection ends, and no other. */
    private void fault(Throwable cause) {
        if (busy) {
            loop.eventLoop().execute(() -> fault(cause)); // the engine is in a call
        } else if (!over) {
            loop.context().fault(engine(), remote, cause, System.nanoTime());
            close(true);
            loop.runAfterCallsLater();
        }
    }

    /** Ends the connection from outside: the transport is closed. */
    void abort() {
        call(now -> engine().connection().abort());
        close(true);
    }

    private void close(boolean reset) {
        if (over) {
            return;
        }
        over = true;
        timer.cancel();
        loop.remove(this);
        if (reserved) {
            loop.context().releaseConnection(place);
        }
        leaveChannel(reset);
    }

    private void leaveChannel(boolean reset) {
        Channel left = channel;
        channel = null;
        info = null;
        connected = false;
        output.drop();
        if (left != null) {
            if (reset && left.isActive()) {
                left.config().setOption(ChannelOption.SO_LINGER, 0); // closing sends RST
            }
            left.close();
        }
    }

    // ---- what the engine asks

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int effectiveMaximumSegmentSize() {
        return loop.context().pathMtu().segmentSize(local.getAddress());
    }

    @Override
    public int unsentOctets(int segment) {
        TcpInfo asked = info;
        if (asked == null && channel instanceof EpollSocketChannel epoll && epoll.fd() instanceof Socket socket) {
            asked = new TcpInfo(socket);
            info = asked;
        }
        return asked == null ? -1 : asked.unsent(segment);
    }

    @Override
    public void keepAlive(KeepAliveTimes wanted) {
        Channel current = channel;
        if (current != null) {
            try {
                NettySockets.keepAlive(current, wanted);
            } catch (ChannelException e) {
                LOG.debug("The connection with {} broke", remote, e); // the channel says so too
            }
        }
    }

    @Override
    public boolean holdsOutput() {
        return output.isHeld();
    }

    @Override
    public void wakeup() {
        if ((busy || handing) && loop.eventLoop().inEventLoop()) {
            lookAgain = true;
        } else {
            doorbell.ring();
        }
    }

    @Override
    public void afterCall(AfterCalls.Task task) {
        loop.afterCalls().add(task);
    }

    @Override
    public void wakeupBehindInput() {
        doorbell.ringBehindInput();
    }

    @Override
    public void execute(Runnable task) {
        EventLoop eventLoop = loop.eventLoop();
        if (eventLoop.inEventLoop()) {
            // The caller may be in a call of the program, or of another engine: what is done after calls waits for its
            // end.
            run(task, this::lookAlone);
            loop.runAfterCallsLater();
            return;
        }
        try {
            eventLoop.execute(() -> run(task, this::look));
        } catch (RejectedExecutionException e) {
            // The caller is the owner when the event loop has ended: such tasks run one after the other.
            eventLoop.terminationFuture().addListener(ended -> run(task, this::look));
        }
    }

    private void run(Runnable task, Event look) {
        try {
            task.run();
            look.tell(System.nanoTime());
        } catch (Throwable e) {
            if (busy) {
                throw e;
            }
            fault(e);
        }
    }
}
