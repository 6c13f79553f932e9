package dev.jwarp.benchmarks.compare;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Raw Netty over many connections: round trips with one message in flight on each; one event loop for each end. */
final class NettyMany implements Contender {
    private final NettyLoops loops;
    private final int size;
    private final List<Asker> askers = new ArrayList<>();
    private final ByteBuf message;
    // Used by the client's loop only, except before the first round.
    private volatile CountDownLatch done = new CountDownLatch(0);
    private long deadline;
    private long answers;
    private int outstanding;

    NettyMany(Arguments arguments) throws InterruptedException {
        loops = new NettyLoops(arguments);
        size = arguments.number("size", 1024);
        message = PooledByteBufAllocator.DEFAULT.directBuffer(size).writeZero(size);
        Channel server = new ServerBootstrap()
                .group(loops.server)
                .channel(loops.serverChannel)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new Echo());
                    }
                })
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        for (int i = 0; i < arguments.number("connections", 1); i++) {
            Asker asker = new Asker();
            Future<?> unused = new Bootstrap()
                    .group(loops.client)
                    .channel(loops.channel)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(asker)
                    .connect(server.localAddress())
                    .sync();
            askers.add(asker);
        }
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        CountDownLatch latch = new CountDownLatch(1);
        done = latch;
        long start = System.nanoTime();
        loops.client.next().execute(() -> {
            deadline = start + nanos;
            answers = 0;
            outstanding = askers.size();
            askers.forEach(Asker::ask);
        });
        latch.await();
        return Sample.ofStream(answers, answers * size, System.nanoTime() - start);
    }

    @Override
    public void close() {
        loops.close();
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            Future<?> unused = ctx.writeAndFlush(message, ctx.voidPromise());
        }
    }

    private final class Asker extends ChannelInboundHandlerAdapter {
        private @org.jspecify.annotations.Nullable ChannelHandlerContext context;
        private int received;

        @Override
        public void handlerAdded(ChannelHandlerContext ctx) {
            context = ctx;
        }

        void ask() {
            if (context != null) {
                Future<?> unused = context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object octets) {
            ByteBuf in = (ByteBuf) octets;
            received += in.readableBytes();
            in.release();
            if (received < size) {
                return;
            }
            received = 0;
            answers++;
            if (System.nanoTime() < deadline) {
                ask();
            } else if (--outstanding == 0) {
                done.countDown();
            }
        }
    }
}
