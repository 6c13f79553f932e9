package dev.jwarp.transport.tcp.netty;

import dev.jwarp.ddp.llp.StreamDriver;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.net.ConnectProblem;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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

    /** Writes before others get their turn. */
    private static final int WRITES_A_LOOK = 4;

    private final NettyLoop loop;
    private final InetSocketAddress remote;
    private final @Nullable InetSocketAddress wantedLocal;
    private final @Nullable Connector connector;
    private final AtomicBoolean woken = new AtomicBoolean();
    private final Runnable lookTask = this::lookForWaker;
    private final Runnable timerTask = this::onTimer;
    private volatile InetSocketAddress local;
    private @Nullable StreamEngine engine;
    private @Nullable Channel channel;
    private @Nullable Future<?> timer;
    private long timerAt = Long.MAX_VALUE;
    private boolean connected;
    private boolean writing;
    private long inFlight;
    private @Nullable ByteBuf inFlightView;

    /** In a call of the engine or about to make one: a look follows, so none must begin within. */
    private boolean busy;

    private boolean lookAgain;
    private boolean reserved;
    private boolean over;

    /** Makes the TCP connection of a stream; there may be a second one (RFC 6581 §10). */
    interface Connector {
        /** Connects: the stream becomes the channel's handler, or hears {@link NettyStream#connectFailed}. */
        void connect(NettyStream stream);
    }

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

    private static long now() {
        return System.nanoTime();
    }

    // ---- life

    /** Begins: a connection is reserved for it. */
    void start() {
        reserved = true;
        loop.add(this);
        if (!over && connector != null) {
            connector.connect(this);
            look(now()); // its deadline
        }
    }

    /** This handler goes to another channel only after it has left its first one (RFC 6581 §10). */
    @Override
    public boolean isSharable() {
        return true;
    }

    void connectFailed(Throwable cause) {
        connectFailed(ConnectProblem.ofConnect(remote, wantedLocal, cause));
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
        if (ctx.channel().isActive()) {
            onConnected(ctx.channel());
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
        if (connected || over) {
            return;
        }
        connected = true;
        if (active.localAddress() instanceof InetSocketAddress address) {
            local = address;
        }
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
            long now = now();
            busy = true;
            try {
                engine().receive(loop.octetsOf(read), now);
            } catch (RuntimeException e) {
                layerAboveFailed(e, now);
            } finally {
                busy = false;
            }
            look(now);
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

    /** Netty found the connection broken; everything of ours is caught where it is thrown. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            LOG.debug("The connection with {} broke", remote, cause);
        } else {
            LOG.error("The connection with {} is given up", remote, cause);
        }
        if (isCurrent(ctx)) {
            call(now -> engine().onBroken(now));
        }
    }

    private void onTimer() {
        timerAt = Long.MAX_VALUE;
        if (over) {
            return;
        }
        if (engine().nextTimeout() <= now()) {
            call(now -> {
                reportProgress(now);
                if (engine().nextTimeout() <= now) {
                    engine().onTimeout(now);
                }
            });
        } else {
            schedule(now()); // it was put off meanwhile
        }
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
        long now = now();
        boolean within = busy;
        busy = true;
        try {
            event.tell(now);
        } catch (RuntimeException e) {
            layerAboveFailed(e, now);
        } finally {
            busy = within;
        }
        look(now);
    }

    // ---- out

    private void lookForWaker() {
        woken.set(false); // before the look: who rings from now on wants another one
        look(now());
    }

    /** Does what the engine wants: writes, ends, sets the timer. After every call into the engine. */
    private void look(long nowNanos) {
        if (busy) {
            lookAgain = true;
            return;
        }
        busy = true;
        try {
            do {
                lookAgain = false;
                try {
                    if (!over) {
                        write(nowNanos);
                    }
                } catch (RuntimeException e) {
                    layerAboveFailed(e, nowNanos);
                }
                obey();
            } while (lookAgain && !over);
        } finally {
            busy = false;
        }
        if (!over) {
            schedule(nowNanos);
        }
    }

    private void write(long nowNanos) {
        for (int writes = 0; engine().prepareOutput(nowNanos) && connected && inFlight == 0; writes++) {
            if (writes == WRITES_A_LOOK) {
                wake(); // others come first
                return;
            }
            writeOnce(Objects.requireNonNull(channel));
            if (inFlight == 0) {
                return; // the channel is closed, and will say so
            }
            finishWrite(nowNanos);
        }
    }

    /** One flush of all that the engine has. Nothing is left of it if the channel is writable again. */
    private void writeOnce(Channel out) {
        ByteBuffer[] buffers = engine().output();
        int count = engine().outputCount();
        writing = true;
        for (int i = 0; i < count; i++) {
            ByteBuffer buffer = buffers[i];
            inFlight += buffer.remaining();
            ByteBuf view = count == 1 ? loop.sendBuffers().viewOf(buffer) : SendBuffers.viewOnceOf(buffer);
            inFlightView = count == 1 ? view : null;
            buffer.position(buffer.limit());
            out.write(view, out.voidPromise());
        }
        out.flush();
        writing = false;
    }

    /** The water marks are set so that a channel is writable exactly when it holds nothing. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (!writing && inFlight > 0 && isCurrent(ctx)) {
            call(this::finishWrite);
        }
    }

    /** A slow peer that takes some octets now and then is no stalled one; Netty tells only when all are written. */
    private void reportProgress(long nowNanos) {
        ByteBuf view = inFlightView;
        long left = view == null ? inFlight : view.readableBytes();
        if (left < inFlight) {
            long written = inFlight - left;
            inFlight = left;
            engine().onWritten(written, nowNanos);
        }
    }

    private void finishWrite(long nowNanos) {
        Channel out = channel;
        if (out != null && out.isWritable() && out.isActive()) {
            long written = inFlight;
            inFlight = 0;
            inFlightView = null;
            engine().onWritten(written, nowNanos);
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

    /** A bug above must not reach the other connections. */
    private void layerAboveFailed(RuntimeException cause, long nowNanos) {
        LOG.error("The layer above failed; its connection with {} is aborted", remote, cause);
        loop.context().counters().count(TcpCounter.LAYER_ABOVE_FAILED);
        try {
            engine().connection().abort();
            engine().prepareOutput(nowNanos);
        } catch (RuntimeException e) {
            LOG.error("The layer above failed again when its connection with {} ended", remote, e);
        }
    }

    /** Ends the connection from outside: the transport is closed. */
    void abort() {
        if (!over) {
            engine().connection().abort();
            look(now());
            close(true);
        }
    }

    private void close(boolean reset) {
        if (over) {
            return;
        }
        over = true;
        leaveChannel(reset);
        Future<?> pending = timer;
        if (pending != null) {
            pending.cancel(false);
        }
        loop.remove(this);
        if (reserved) {
            loop.context().releaseConnection();
        }
    }

    private void leaveChannel(boolean reset) {
        Channel left = channel;
        channel = null;
        connected = false;
        inFlight = 0;
        inFlightView = null;
        if (left != null) {
            if (reset && left.isActive()) {
                left.config().setOption(ChannelOption.SO_LINGER, 0); // closing sends RST
            }
            left.close();
        }
    }

    private void schedule(long nowNanos) {
        long at = engine().nextTimeout();
        if (at >= timerAt) {
            return; // the timer that runs will find out
        }
        Future<?> pending = timer;
        if (pending != null) {
            pending.cancel(false);
        }
        timerAt = at;
        timer = loop.eventLoop().schedule(timerTask, at <= nowNanos ? 0 : at - nowNanos, TimeUnit.NANOSECONDS);
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
    public void wakeup() {
        if (loop.eventLoop().inEventLoop() && busy) {
            lookAgain = true;
        } else {
            wake();
        }
    }

    /** At most one task at a time, and always the same one. */
    private void wake() {
        if (!woken.getAndSet(true)) {
            loop.eventLoop().execute(lookTask);
        }
    }

    @Override
    public void execute(Runnable task) {
        if (loop.eventLoop().inEventLoop()) {
            run(task);
        } else {
            loop.eventLoop().execute(() -> run(task));
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            layerAboveFailed(e, now());
        }
        if (!over) {
            look(now());
        }
    }
}
