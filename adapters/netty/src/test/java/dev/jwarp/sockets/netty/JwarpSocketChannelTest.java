package dev.jwarp.sockets.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A channel of Netty over RDMA")
@SuppressWarnings("FutureReturnValueIgnored") // failures are seen at the other end
@ParameterizedClass
@EnumSource
class JwarpSocketChannelTest {
    private static final int BYTES = 3_000_000;

    private final StreamProtocol protocol;

    private final Loops loops = new Loops();
    private final EventLoopGroup boss = loops.of(1);
    private final EventLoopGroup workers = loops.of(2);
    private final EventLoopGroup clients = loops.of(1);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    JwarpSocketChannelTest(StreamProtocol protocol) {
        this.protocol = protocol;
    }

    @AfterEach
    void end() throws InterruptedException {
        loops.close();
    }

    /** Echoes bytes and the end of input. */
    @Sharable
    private final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            threads.add(Thread.currentThread());
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        /** Reads only while it can write. */
        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(context.channel().isWritable());
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                // After all pending writes, which shutdown would fail.
                context.writeAndFlush(Unpooled.EMPTY_BUFFER)
                        .addListener(done -> ((SocketChannel) context.channel()).shutdownOutput());
            }
        }
    }

    /** Keeps the received bytes. */
    private static final class Keep extends ChannelInboundHandlerAdapter {
        final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        final ByteBuf came = Unpooled.buffer();
        final AtomicInteger bytes = new AtomicInteger();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            came.writeBytes(buffer);
            buffer.release();
            bytes.set(came.readableBytes());
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add("inactive");
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                events.add(event);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            events.add(cause);
        }

        @Nullable
        Object next() throws InterruptedException {
            return events.poll(Loops.PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private Channel serve() throws InterruptedException {
        return serve(new Echo());
    }

    private Channel serve(ChannelHandler handler) throws InterruptedException {
        return new ServerBootstrap()
                .group(boss, workers)
                .channel(JwarpServerSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(handler);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    private Channel connect(SocketAddress to, Keep keep) throws InterruptedException {
        return new Bootstrap()
                .group(clients)
                .channel(JwarpSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(keep)
                .connect(to)
                .sync()
                .channel();
    }

    private static ByteBuf bytes(int count) {
        ByteBuf bytes = Unpooled.buffer(count);
        for (int i = 0; i < count; i++) {
            bytes.writeByte(i * 31 + (i >> 8));
        }
        return bytes;
    }

    @Test
    @DisplayName("carries megabytes in both directions, then the end of each")
    void echo() throws Exception {
        Channel server = serve();
        Keep keep = new Keep();
        SocketChannel channel = (SocketChannel) connect(server.localAddress(), keep);
        assertThat(channel.remoteAddress()).isEqualTo(server.localAddress());
        channel.writeAndFlush(bytes(BYTES)).sync();
        channel.shutdownOutput().sync();
        assertThat(keep.next()).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(keep.came).isEqualTo(bytes(BYTES));
        channel.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("belongs to one of the group's loops, each of which gets its share")
    void shared() throws Exception {
        Channel server = serve();
        List<Channel> all = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Keep keep = new Keep();
            Channel channel = connect(server.localAddress(), keep);
            all.add(channel);
            channel.writeAndFlush(bytes(10)).sync();
            await().until(() -> keep.bytes.get() == 10);
        }
        // The first connections came before the group was known.
        assertThat(threads).hasSize(3);
        for (Channel channel : all) {
            channel.close().sync();
        }
        server.close().sync();
    }

    @Test
    @DisplayName("applies back-pressure to its peer while it does not read, and reports writability")
    void backPressure() throws Exception {
        Channel server = serve();
        Keep keep = new Keep();
        Channel channel = connect(server.localAddress(), keep);
        channel.config().setAutoRead(false);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1000, 2000));
        List<ByteBuf> sent = new ArrayList<>();
        int total = 0;
        while (channel.isWritable() || total < 4_000_000) {
            ByteBuf some = bytes(100_000);
            sent.add(some);
            total += 100_000;
            channel.write(some);
        }
        int all = total;
        channel.flush();
        assertThat(channel.isWritable()).isFalse();
        assertThat(keep.bytes.get()).isZero();
        channel.config().setAutoRead(true);
        await().until(() -> keep.bytes.get() == all);
        await().until(channel::isWritable);
        channel.close().sync();
        assertThat(sent).allMatch(buffer -> buffer.refCnt() == 0);
        server.close().sync();
    }

    @Test
    @DisplayName("reports a missing listener")
    void refused() throws Exception {
        try (HeldPort silent = new HeldPort()) {
            assertThatThrownBy(() -> connect(silent.address(), new Keep())).isInstanceOf(ConnectException.class);
        }
    }

    @Test
    @DisplayName("sends small writes after a delay if they may wait for others")
    void combining() throws Exception {
        Channel server = serve();
        Keep keep = new Keep();
        Channel channel = connect(server.localAddress(), keep);
        assertThat(channel.config().setOption(ChannelOption.TCP_NODELAY, false)).isTrue();
        for (int i = 1; i < 10; i++) {
            channel.writeAndFlush(bytes(10)).sync();
            channel.writeAndFlush(bytes(10)).sync();
            int wanted = 20 * i;
            await().until(() -> keep.bytes.get() == wanted);
        }
        channel.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("sends the whole of a file before its loop does anything else")
    void fileRegion(@TempDir Path place) throws Exception {
        int length = 6 * 8192; // less than the peer's window
        Path file = Files.write(place.resolve("file"), new byte[length]);
        Keep keep = new Keep();
        Channel server = serve(keep);
        Channel channel = connect(server.localAddress(), new Keep());
        channel.eventLoop()
                .submit(() -> {
                    channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, length));
                    await().until(() -> keep.bytes.get() == length);
                })
                .sync();
        channel.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("has options of the protocol, and reports their legal values")
    void options() throws Exception {
        Channel server = serve();
        assertThat(server.config().getOption(JwarpChannelOption.PROTOCOL)).isEqualTo(protocol);
        assertThat(server.config().setOption(JwarpChannelOption.CREDITS, 4)).isTrue();
        Keep keep = new Keep();
        Channel channel = connect(server.localAddress(), keep);
        assertThat(channel.config().getOptions())
                .containsEntry(JwarpChannelOption.PROTOCOL, protocol)
                .containsEntry(JwarpChannelOption.CREDITS, 32);
        assertThatThrownBy(() -> channel.config().setOption(JwarpChannelOption.CREDITS, 3))
                .hasMessage("a channel has 4 to 256 credits, not 3");
        channel.writeAndFlush(bytes(BYTES)).sync();
        await().until(() -> keep.bytes.get() == BYTES);
        channel.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("continues when the thread of its loop is interrupted")
    void interrupted() throws Exception {
        Channel server = serve();
        Keep keep = new Keep();
        Channel channel = connect(server.localAddress(), keep);
        channel.eventLoop().execute(() -> Thread.currentThread().interrupt());
        channel.writeAndFlush(bytes(10)).sync();
        await().until(() -> keep.bytes.get() == 10);
        channel.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("is notified that its peer is gone")
    void closed() throws Exception {
        Channel server = serve();
        Keep keep = new Keep();
        Channel channel = connect(server.localAddress(), keep);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        channel.writeAndFlush(bytes(10)).sync();
        await().until(() -> keep.bytes.get() == 10);
        workers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        boss.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        Object first = keep.next();
        assertThat(first instanceof Throwable ? keep.next() : first).isEqualTo("inactive");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    @DisplayName("that was bound to any port has its local address once it is connected")
    void anyPort() throws Exception {
        Channel server = serve();
        Channel channel = new Bootstrap()
                .group(clients)
                .channel(JwarpSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .handler(new Keep())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        assertThat(channel.localAddress()).isNotNull();
        channel.connect(server.localAddress()).sync();
        assertThat(((InetSocketAddress) channel.localAddress()).getPort()).isPositive();
        channel.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("without memory for received bytes is closed, and other channels of its loop continue")
    void noMemory() throws Exception {
        Channel server = serve();
        Keep other = new Keep();
        Channel good = connect(server.localAddress(), other);
        Keep keep = new Keep();
        Channel channel = connect(server.localAddress(), keep);
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, false);
        channel.config().setRecvByteBufAllocator(new Loops.NoMemory());
        channel.writeAndFlush(bytes(10)).sync();
        assertThat(keep.next()).isInstanceOf(OutOfMemoryError.class);
        assertThat(keep.next()).isEqualTo("inactive");
        good.writeAndFlush(bytes(10)).sync();
        await().until(() -> other.bytes.get() == 10);
        good.close().sync();
        server.close().sync();
    }

    @Test
    @DisplayName("is accepted by a listener that requests each connection while it handles the one before")
    void oneByOne() throws Exception {
        BlockingQueue<Object> came = new LinkedBlockingQueue<>();
        Channel server = new ServerBootstrap()
                .group(boss, workers)
                .channel(JwarpServerSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        came.add(message);
                        context.read();
                        context.fireChannelRead(message);
                    }
                })
                .childHandler(new Echo())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        server.read();
        for (int i = 0; i < 3; i++) {
            connect(server.localAddress(), new Keep());
            assertThat(came.poll(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .as("connection " + i)
                    .isNotNull();
        }
        server.close().sync();
    }

    @Test
    @DisplayName(
            "waits in its listener's backlog until the program accepts it; beyond the backlog connections are refused")
    void backlog() throws Exception {
        BlockingQueue<Object> came = new LinkedBlockingQueue<>();
        Channel server = new ServerBootstrap()
                .group(boss, workers)
                .channel(JwarpServerSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.SO_BACKLOG, 2)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        came.add(message);
                        context.fireChannelRead(message);
                    }
                })
                .childHandler(new Echo())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        Keep keep = new Keep();
        connect(server.localAddress(), keep).writeAndFlush(bytes(10));
        connect(server.localAddress(), new Keep());
        assertThatThrownBy(() -> connect(server.localAddress(), new Keep())).isInstanceOf(ConnectException.class);
        assertThat(came).isEmpty();
        server.read();
        await().until(() -> keep.bytes.get() == 10);
        assertThat(came).hasSize(1);
        server.read();
        await().until(() -> came.size() == 2);
        connect(server.localAddress(), new Keep());
        server.close().sync();
    }

    @Test
    @DisplayName("has options that any thread may set during transfers")
    void optionsMeanwhile() throws Exception {
        Channel server = serve();
        List<Keep> all = new ArrayList<>();
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(new Keep());
            channels.add(connect(server.localAddress(), all.get(i)));
        }
        List<CompletableFuture<Void>> setting = new ArrayList<>();
        for (Channel channel : channels) {
            channel.writeAndFlush(bytes(BYTES));
            setting.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 1000; i++) {
                            channel.config().setOption(ChannelOption.TCP_NODELAY, (i & 1) == 0);
                        }
                    },
                    boss));
        }
        setting.forEach(CompletableFuture::join);
        for (Keep keep : all) {
            await().until(() -> keep.bytes.get() == BYTES);
            assertThat(keep.events).isEmpty();
        }
        for (Channel channel : channels) {
            channel.close().sync();
        }
        server.close().sync();
    }
}
