package dev.jwarp.benchmarks.compare;

import dev.jwarp.sockets.netty.JwarpByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Raw Netty: one channel writes messages as fast as the socket accepts them, the other counts bytes. */
final class NettyTcpStream implements Contender {
    private final NettyLoops loops;
    private final int messageLength;
    private final boolean crc;
    private final boolean place;
    private final Channel server;
    private final Channel client;
    private final Sender sender;
    private final Receiver receiver;

    NettyTcpStream(Arguments arguments) throws InterruptedException {
        loops = new NettyLoops(arguments);
        messageLength = arguments.number("size", 64 * 1024);
        crc = arguments.is("crc", "on");
        place = arguments.is("place", "on");
        this.sender = new Sender(
                arguments.is("allocator", "jwarp") ? JwarpByteBufAllocator.DEFAULT : PooledByteBufAllocator.DEFAULT);
        this.receiver = new Receiver();
        server = loops.listen(receiver);
        client = loops.connect(server, sender);
    }

    @Override
    public Sample round(long nanos) throws InterruptedException {
        long elapsed = NettyLoops.timed(client, nanos, sender::start);
        return Sample.ofStream(sender.sent, sender.sent * messageLength, elapsed);
    }

    @Override
    public void close() {
        client.close().syncUninterruptibly();
        server.close().syncUninterruptibly();
        loops.close();
    }

    private final class Sender extends ChannelInboundHandlerAdapter {
        private final ByteBuf message;
        private final CRC32C checksum = new CRC32C();
        private @Nullable ChannelHandlerContext context;
        private long deadline;
        private long sent;
        private boolean running;

        Sender(ByteBufAllocator allocator) {
            message = allocator.directBuffer(messageLength);
            message.writeZero(messageLength);
        }

        void start(CountDownLatch done, long end) {
            sent = 0;
            deadline = end;
            running = true;
            receiver.begin(done);
            pump();
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            context = ctx;
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            pump();
        }

        private void pump() {
            ChannelHandlerContext ctx = context;
            if (!running || ctx == null) {
                return;
            }
            while (ctx.channel().isWritable()) {
                if (System.nanoTime() >= deadline) {
                    running = false;
                    receiver.expect(sent * messageLength);
                    break;
                }
                if (crc) {
                    checksum.reset();
                    checksum.update(message.internalNioBuffer(0, messageLength));
                }
                Future<?> unused = ctx.write(message.retainedDuplicate(), ctx.voidPromise());
                sent++;
            }
            ctx.flush();
        }
    }

    private final class Receiver extends ChannelInboundHandlerAdapter {
        private final CRC32C checksum = new CRC32C();
        private final ByteBuffer target = ByteBuffer.allocateDirect(messageLength);
        private volatile long expected = Long.MAX_VALUE;
        private volatile long received;
        private @Nullable CountDownLatch done;
        private boolean told;

        synchronized void begin(CountDownLatch latch) {
            received = 0;
            expected = Long.MAX_VALUE;
            told = false;
            done = latch;
        }

        void expect(long octets) {
            expected = octets;
            check();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf octets = (ByteBuf) message;
            int length = octets.readableBytes();
            if (crc) {
                checksum.update(octets.internalNioBuffer(octets.readerIndex(), length));
            }
            while (place && octets.isReadable()) {
                target.limit(Math.min(messageLength, target.position() + octets.readableBytes()));
                octets.readBytes(target);
                if (target.position() == messageLength) {
                    target.clear();
                }
            }
            octets.release();
            long sum = received + length; // one writer: this loop
            received = sum;
            if (sum >= expected) {
                check();
            }
        }

        private synchronized void check() {
            CountDownLatch latch = done;
            if (!told && received >= expected && latch != null) {
                told = true;
                latch.countDown();
            }
        }
    }
}
