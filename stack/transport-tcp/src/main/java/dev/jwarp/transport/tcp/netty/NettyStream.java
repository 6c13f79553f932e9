package dev.jwarp.transport.tcp.netty;

import dev.jwarp.base.Share;
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
import java.util.Objects;
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
    private final Doorbell doorbell;
    private final NettyOutput output;
    private final NettyTimer timer;
    private volatile InetSocketAddress local;
    private @Nullable StreamEngine engine;
    private @Nullable Channel channel;
    private boolean connected;

    /** In a call of the engine or about to make one: a look follows, so none must begin within. */
    private boolean busy;

    private boolean lookAgain;
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
        doorbell = new Doorbell(loop.eventLoop(), this::onDoorbell);
        output = new NettyOutput();
        timer = new NettyTimer(loop.eventLoop(), this::onTimer);
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
        loop.add(this);
        if (!over && connector != null) {
            connector.connect(this);
            look(System.nanoTime()); // its deadline
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
        channel.config().setRecvByteBufAllocator(loop.ringAllocator(engine()));
        onConnected(ctx.channel());
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
        timer.ran();
        if (over) {
            return;
        }
        if (engine().nextTimeout() <= System.nanoTime()) {
            call(now -> engine().onTimeout(now));
        } else {
            timer.schedule(engine().nextTimeout(), System.nanoTime()); // it was put off meanwhile
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
        long now = System.nanoTime();
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

    private void onDoorbell() {
        doorbell.heard();
        look(System.nanoTime());
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
            timer.schedule(engine().nextTimeout(), nowNanos);
        }
    }

    private void write(long nowNanos) {
        for (int writes = 0; engine().prepareOutput(nowNanos) && connected && output.isIdle(); writes++) {
            if (writes == WRITES_A_LOOK) {
                doorbell.ring(); // others come first
                return;
            }
            output.write(Objects.requireNonNull(channel), engine());
            if (output.isIdle()) {
                return; // the channel is closed, and will say so
            }
            output.finish(channel, engine(), nowNanos);
        }
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
            look(System.nanoTime());
            close(true);
        }
    }

    private void close(boolean reset) {
        if (over) {
            return;
        }
        over = true;
        leaveChannel(reset);
        timer.cancel();
        loop.remove(this);
        if (reserved) {
            loop.context().releaseConnection(place);
        }
    }

    private void leaveChannel(boolean reset) {
        Channel left = channel;
        channel = null;
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
    public boolean holdsOutput() {
        return output.isHeld();
    }

    @Override
    public void wakeup() {
        if (loop.eventLoop().inEventLoop() && busy) {
            lookAgain = true;
        } else {
            doorbell.ring();
        }
    }

    @Override
    public void execute(Runnable task) {
        if (loop.eventLoop().inEventLoop()) {
            run(task);
        } else {
            Doorbell.executeIfRunning(loop.eventLoop(), () -> run(task));
        }
    }

    private void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            layerAboveFailed(e, System.nanoTime());
        }
        if (!over) {
            look(System.nanoTime());
        }
    }
}
