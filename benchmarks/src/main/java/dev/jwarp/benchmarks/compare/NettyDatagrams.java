package dev.jwarp.benchmarks.compare;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Raw Netty over UDP: a stream of datagrams of 1472 bytes, 44 with a call (UDP_SEGMENT, UDP_GRO), as many as fit into
 * 64 KiB. The receiver reports every 256 KiB how much it has received; at most 1 MiB is in flight. The sender asks for
 * the count to detect losses.
 */
final class NettyDatagrams implements Contender {
    private static final int DATAGRAM = 1472;
    private static final int BURST = 44 * DATAGRAM;
    private static final int WINDOW = 1 << 20;
    private static final int TELL = 256 << 10;
    private static final int BUFFER = 4 << 20;
    private static final int MESSAGE = 64 * 1024;
    private static final long SILENCE_MILLIS = 10;

    private final NettyLoops loops;
    private final Receiver receiver = new Receiver();
    private final Sender sender = new Sender();
    private final Channel near;

    NettyDatagrams(Arguments arguments) throws InterruptedException {
        loops = new NettyLoops(arguments);
        if (!arguments.is("gso", "on")) {
            throw new IllegalArgumentException("only gso=on");
        }
        Channel far = bind(loops.server, receiver, true);
        near = bind(loops.client, sender, false);
        sender.peer = (InetSocketAddress) far.localAddress();
        sender.local = (InetSocketAddress) near.localAddress();
    }

    private static Channel bind(io.netty.channel.EventLoopGroup group, ChannelHandler handler, boolean receives)
            throws InterruptedException {
        return new Bootstrap()
                .group(group)
                .channel(EpollDatagramChannel.class)
                .option(ChannelOption.SO_RCVBUF, BUFFER)
                .option(ChannelOption.SO_SNDBUF, BUFFER)
                .option(EpollChannelOption.UDP_GRO, receives)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(receives ? 1 << 16 : 2048))
                .handler(handler)
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        long elapsed = NettyLoops.timed(near, nanos, sender::start);
        long came = sender.acknowledged - sender.before;
        return new Sample(came / MESSAGE, came, elapsed, (sender.sent - sender.begun - came) / DATAGRAM, null);
    }

    @Override
    public void close() {
        loops.close();
    }

    /** Used by the client's loop; the latch makes its figures visible to other threads. */
    private final class Sender extends ChannelInboundHandlerAdapter {
        private final ByteBuf message;
        private final ByteBuf question;
        private @Nullable ChannelHandlerContext context;
        private @Nullable CountDownLatch done;
        private @Nullable ScheduledFuture<?> clock;
        private InetSocketAddress peer = new InetSocketAddress(0);
        private InetSocketAddress local = new InetSocketAddress(0);
        private long deadline;
        private long sent;
        private long begun;
        private long before;
        private long acknowledged;
        private long lost;
        private long seen;
        private boolean pouring;

        Sender() {
            message = PooledByteBufAllocator.DEFAULT.directBuffer(BURST).writeZero(BURST);
            question = PooledByteBufAllocator.DEFAULT.directBuffer(1).writeZero(1);
        }

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        void start(CountDownLatch latch, long end) {
            deadline = end;
            done = latch;
            begun = sent;
            before = acknowledged;
            lost = sent - acknowledged;
            pouring = true;
            seen = -1;
            clock = near.eventLoop()
                    .scheduleWithFixedDelay(this::look, SILENCE_MILLIS, SILENCE_MILLIS, TimeUnit.MILLISECONDS);
            pour();
        }

        /** No report came for a while: the datagrams in flight are lost, or all have arrived. */
        private void look() {
            if (seen != acknowledged) {
                seen = acknowledged;
                ask();
                return;
            }
            if (pouring) {
                lost = sent - acknowledged;
                pour();
            } else if (done != null && clock != null) {
                clock.cancel(false);
                done.countDown();
            }
        }

        private void ask() {
            if (context != null) {
                Future<?> unused = context.writeAndFlush(
                        new DatagramPacket(question.retainedDuplicate(), peer, local), context.voidPromise());
            }
        }

        private void pour() {
            ChannelHandlerContext ctx = context;
            if (ctx == null || !pouring) {
                return;
            }
            if (System.nanoTime() >= deadline) {
                pouring = false;
                ask();
                return;
            }
            boolean wrote = false;
            while (sent - lost - acknowledged < WINDOW) {
                Future<?> unused = ctx.write(
                        new SegmentedDatagramPacket(message.retainedDuplicate(), DATAGRAM, peer, local),
                        ctx.voidPromise());
                sent += BURST;
                wrote = true;
            }
            if (wrote) {
                ctx.flush();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object datagram) {
            DatagramPacket packet = (DatagramPacket) datagram;
            acknowledged = Math.max(acknowledged, packet.content().readLong());
            packet.release();
            if (!pouring && acknowledged >= sent - lost && done != null && clock != null) {
                clock.cancel(false);
                done.countDown();
            }
            pour();
        }
    }

    private static final class Receiver extends ChannelInboundHandlerAdapter {
        private long came;
        private long told;

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object datagram) {
            DatagramPacket packet = (DatagramPacket) datagram;
            int length = packet.content().readableBytes();
            boolean asked = length == 1;
            if (!asked) {
                came += length;
            }
            if (asked || came - told >= TELL) {
                told = came;
                Future<?> unused = ctx.writeAndFlush(
                        new DatagramPacket(ctx.alloc().directBuffer(8).writeLong(came), packet.sender()),
                        ctx.voidPromise());
            }
            packet.release();
        }
    }
}
