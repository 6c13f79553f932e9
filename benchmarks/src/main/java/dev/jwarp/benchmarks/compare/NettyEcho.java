package dev.jwarp.benchmarks.compare;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
        server = loops.listen(new Echo());
        client = loops.connect(server, pinger);
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        long elapsed = NettyLoops.timed(client, nanos, pinger::start);
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

        void start(CountDownLatch latch, long end) {
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
