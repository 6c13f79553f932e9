package dev.jwarp.benchmarks.compare;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Raw Netty: round trips, one at a time. */
final class NettyEcho implements Contender {
    private final NettyLoops loops;
    private final int messageLength;
    private final Channel server;
    private final Channel client;
    private final Pinger pinger;

    NettyEcho(Arguments arguments) throws InterruptedException {
        loops = new NettyLoops(arguments);
        this.messageLength = arguments.number("size", 64);
        this.pinger = new Pinger();
        server = new ServerBootstrap()
                .group(loops.server)
                .channel(loops.serverChannel)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(NettyLoops.initializer(new Echo()))
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        client = new Bootstrap()
                .group(loops.client)
                .channel(loops.channel)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(NettyLoops.initializer(pinger))
                .connect(server.localAddress())
                .sync()
                .channel();
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        long start = System.nanoTime();
        client.eventLoop().execute(() -> pinger.start(start + nanos, done));
        done.await();
        long elapsed = System.nanoTime() - start;
        return Sample.ofRoundTrips(pinger.times, messageLength, elapsed);
    }

    @Override
    public void close() {
        client.close().syncUninterruptibly();
        server.close().syncUninterruptibly();
        loops.close();
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Future<?> unused = ctx.writeAndFlush(message, ctx.voidPromise());
        }
    }

    private final class Pinger extends ChannelInboundHandlerAdapter {
        private final Histogram times = Contender.histogram();
        private final ByteBuf message;
        private @Nullable ChannelHandlerContext context;
        private @Nullable CountDownLatch done;
        private long deadline;
        private long sentAt;
        private int received;

        Pinger() {
            message = PooledByteBufAllocator.DEFAULT.directBuffer(messageLength);
            message.writeZero(messageLength);
        }

        void start(long end, CountDownLatch latch) {
            times.reset();
            deadline = end;
            done = latch;
            ping(System.nanoTime());
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object octets) {
            ByteBuf in = (ByteBuf) octets;
            received += in.readableBytes();
            in.release();
            if (received < messageLength) {
                return;
            }
            received = 0;
            long now = System.nanoTime();
            times.recordValue(now - sentAt);
            if (now < deadline) {
                ping(now);
            } else if (done != null) {
                done.countDown();
            }
        }

        private void ping(long now) {
            sentAt = now;
            if (context != null) {
                Future<?> unused = context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
            }
        }
    }
}
