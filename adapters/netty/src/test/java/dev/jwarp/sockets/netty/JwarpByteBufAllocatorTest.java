package dev.jwarp.sockets.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.stream.StreamProtocol;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.ResourceLeakDetector;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Zero-copy buffers of a channel of Netty")
@SuppressWarnings("FutureReturnValueIgnored") // failures are seen at the other end
@ParameterizedClass
@EnumSource
class JwarpByteBufAllocatorTest {
    private static final int LARGE = 200_000;
    /** More than the stream and TCP accept while the peer does not read. */
    private static final int MUCH = 4_000_000;

    private static final int SOME = 1 << 24;

    private static ResourceLeakDetector.Level level = ResourceLeakDetector.Level.SIMPLE;

    private final StreamProtocol protocol;
    private final JwarpByteBufAllocator allocator = new JwarpByteBufAllocator(SOME);
    private final Loops loops = new Loops();
    private final EventLoopGroup servers = loops.of(1);
    private final EventLoopGroup clients = loops.of(2);
    private final Keep keep = new Keep();
    private @Nullable Channel server;
    private @Nullable Channel accepted;

    JwarpByteBufAllocatorTest(StreamProtocol protocol) {
        this.protocol = protocol;
    }

    @BeforeAll
    static void watchAll() {
        level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    }

    @AfterAll
    static void asBefore() {
        ResourceLeakDetector.setLevel(level);
    }

    @BeforeEach
    void serve() throws InterruptedException {
        server = new ServerBootstrap()
                .group(servers)
                .channel(JwarpServerSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .childHandler(keep)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    @AfterEach
    void end() throws InterruptedException {
        loops.close();
        assertThat(allocator.idleMemory()).as("unused memory").isEqualTo(allocator.usedMemory());
    }

    /** Keeps the bytes received by one channel. */
    @Sharable
    private static final class Keep extends ChannelInboundHandlerAdapter {
        final ByteBuf came = Unpooled.buffer();
        volatile int bytes;
        volatile boolean ended;
        volatile @Nullable Channel channel;
        volatile boolean reads = true;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.channel().config().setAutoRead(reads);
            channel = context.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            came.writeBytes(buffer);
            buffer.release();
            bytes = came.readableBytes();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended = true;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    private SocketChannel connect() throws InterruptedException {
        SocketChannel made = (SocketChannel) new Bootstrap()
                .group(clients)
                .channel(JwarpSocketChannel.class)
                .option(JwarpChannelOption.PROTOCOL, protocol)
                .option(ChannelOption.ALLOCATOR, allocator)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(Objects.requireNonNull(server).localAddress())
                .sync()
                .channel();
        await().until(() -> keep.channel != null);
        accepted = keep.channel;
        return made;
    }

    private static ByteBuf fill(ByteBuf buffer, int count) {
        byte[] bytes = new byte[count];
        for (int i = 0; i < count; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8) + count);
        }
        return buffer.writeBytes(bytes); // the leak detector records each call
    }

    private ByteBuf large() {
        return fill(allocator.directBuffer(LARGE), LARGE);
    }

    private static SlabRegions regions(Channel channel) {
        return JwarpIoHandler.of(channel.eventLoop()).home().regions();
    }

    private void awaitBytes(int count) {
        await().until(() -> keep.bytes == count);
    }

    @Test
    @DisplayName(
            "whole, as slices, read-only, in composites, between copied ones: all arrive in order and are released")
    void kinds() throws Exception {
        SocketChannel channel = connect();
        ByteBuf one = large();
        ByteBuf other = large();
        CompositeByteBuf composite =
                allocator.compositeBuffer().addComponents(true, large(), fill(Unpooled.buffer(), 100), large());
        composite.readerIndex(50_000);
        ByteBuf expected = Unpooled.buffer();
        List<ByteBuf> sent = new ArrayList<>(List.of(
                fill(Unpooled.buffer(), 10),
                one.retainedSlice(1000, 150_000),
                Unpooled.EMPTY_BUFFER,
                other.asReadOnly(),
                one.slice(170_000, 20_000).retain(),
                fill(Unpooled.directBuffer(), 50_000),
                one.retainedDuplicate().skipBytes(7),
                composite,
                fill(Unpooled.buffer(), 3)));
        sent.forEach(buffer -> expected.writeBytes(buffer.duplicate()));
        one.release();
        ChannelFuture last = null;
        for (ByteBuf buffer : sent) {
            last = channel.write(buffer);
        }
        channel.flush();
        Objects.requireNonNull(last).sync();
        awaitBytes(expected.readableBytes());
        assertThat(keep.came).isEqualTo(expected);
        assertThat(regions(channel).count()).as("registered slabs").isEqualTo(4);
        assertThat(one.refCnt() + other.refCnt() + composite.refCnt()).isZero();
        channel.close().sync();
    }

    @Test
    @DisplayName("their promise completes when they are sent, although the peer does not read")
    void unread() throws Exception {
        keep.reads = false;
        SocketChannel channel = connect();
        int window = protocol == StreamProtocol.RSOCKETS ? 1 << 16 : 20_000;
        ByteBuf buffer = fill(allocator.directBuffer(window), window);
        channel.writeAndFlush(buffer).sync();
        assertThat(buffer.refCnt()).isZero();
        assertThat(keep.bytes).isZero();
        Objects.requireNonNull(accepted).config().setAutoRead(true);
        awaitBytes(window);
        channel.close().sync();
    }

    @Test
    @DisplayName("one buffer may be written in several loops, and be allocated by any thread")
    void loops() throws Exception {
        SocketChannel one = connect();
        SocketChannel other = connect();
        ByteBuf buffer = large();
        one.writeAndFlush(buffer.retainedDuplicate());
        other.writeAndFlush(buffer);
        awaitBytes(2 * LARGE);
        assertThat(one.eventLoop()).isNotSameAs(other.eventLoop());
        assertThat(regions(one).count() + regions(other).count()).isEqualTo(2);
        one.close().sync();
        other.close().sync();
    }

    @Test
    @DisplayName("a buffer that grows is copied, a small one has Netty's memory")
    void grows() throws Exception {
        SocketChannel channel = connect();
        ByteBuf grown = allocator.directBuffer(JwarpByteBufAllocator.SMALLEST);
        ByteBuf small = allocator.directBuffer(JwarpByteBufAllocator.SMALLEST - 1);
        assertThat(small.capacity()).isEqualTo(JwarpByteBufAllocator.SMALLEST - 1);
        channel.write(fill(grown, LARGE));
        channel.writeAndFlush(fill(small, LARGE));
        awaitBytes(2 * LARGE);
        assertThat(regions(channel).count()).isZero();
        channel.close().sync();
    }

    @Test
    @DisplayName(
            "are reused; other lengths replace unused ones, which loops then deregister; beyond the limit they have Netty's memory")
    void limit() throws Exception {
        JwarpByteBufAllocator little = new JwarpByteBufAllocator(1 << 18);
        SocketChannel channel = connect();
        int total = 0;
        for (int length : new int[] {1 << 17, 100_000, 1 << 16, 1 << 18}) {
            channel.writeAndFlush(fill(little.directBuffer(length), length)).sync();
            total += length;
            awaitBytes(total);
            assertThat(little.usedMemory()).isLessThanOrEqualTo(1 << 18);
        }
        assertThat(regions(channel).count()).isEqualTo(1);
        ByteBuf all = little.directBuffer(1 << 18);
        ByteBuf more = little.directBuffer(1 << 18);
        assertThat(SlabByteBuf.behind(all)).isNotNull();
        assertThat(SlabByteBuf.behind(more)).isNull();
        all.release();
        more.release();
        assertThat(little.idleMemory()).isEqualTo(1 << 18);
        assertThatThrownBy(() -> new JwarpByteBufAllocator(-1))
                .hasMessage("an allocator has 0 or more bytes of memory, not -1");
        channel.close().sync();
    }

    private List<ByteBuf> writeMuch(Channel channel) {
        List<ByteBuf> sent = new ArrayList<>();
        for (int i = 0; i < MUCH / LARGE; i++) {
            sent.add(large());
        }
        sent.forEach(channel::write);
        channel.flush();
        await().until(() -> regions(channel).count() > 0);
        return sent;
    }

    @Test
    @DisplayName("a channel that is closed while sending releases all of them when none is in use any more")
    void closed() throws Exception {
        keep.reads = false;
        SocketChannel channel = connect();
        List<ByteBuf> sent = writeMuch(channel);
        channel.close().sync();
        Objects.requireNonNull(accepted).config().setAutoRead(true);
        await().until(() -> keep.ended);
        await().until(() -> sent.stream().allMatch(buffer -> buffer.refCnt() == 0));
        ByteBuf expected = Unpooled.buffer();
        for (int i = 0; i * LARGE < keep.bytes; i++) {
            fill(expected, LARGE);
        }
        assertThat(keep.came).as("the bytes sent before").isEqualTo(expected.slice(0, keep.bytes));
    }

    @Test
    @DisplayName("so does a channel whose output is shut down while sending")
    void shut() throws Exception {
        keep.reads = false;
        SocketChannel channel = connect();
        List<ByteBuf> sent = writeMuch(channel);
        channel.shutdownOutput().sync();
        Objects.requireNonNull(accepted).config().setAutoRead(true);
        await().until(() -> sent.stream().allMatch(buffer -> buffer.refCnt() == 0));
        channel.close().sync();
    }

    @Test
    @DisplayName("so does a channel that is aborted while sending, and one whose peer is aborted")
    void aborted() throws Exception {
        keep.reads = false;
        for (boolean peer : new boolean[] {false, true}) {
            keep.channel = null;
            SocketChannel channel = connect();
            List<ByteBuf> sent = writeMuch(channel);
            Channel ends = peer ? Objects.requireNonNull(accepted) : channel;
            ends.config().setOption(ChannelOption.SO_LINGER, 0);
            ends.close().sync();
            await().until(() -> sent.stream().allMatch(buffer -> buffer.refCnt() == 0));
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    @DisplayName("so does a loop that ends while sending")
    void loopEnds() throws Exception {
        keep.reads = false;
        SocketChannel channel = connect();
        List<ByteBuf> sent = writeMuch(channel);
        clients.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(Loops.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(clients.isTerminated()).isTrue();
        assertThat(channel.isOpen()).isFalse();
        assertThat(sent).allMatch(buffer -> buffer.refCnt() == 0);
    }
}
