package dev.jwarp.sockets.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps the datagrams received by one channel. */
final class KeptDatagrams extends ChannelInboundHandlerAdapter {
    final BlockingQueue<DatagramPacket> came = new LinkedBlockingQueue<>();
    final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    final AtomicInteger rounds = new AtomicInteger();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        threads.add(Thread.currentThread());
        came.add((DatagramPacket) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        rounds.incrementAndGet();
    }

    /** {@return the next datagram, which the caller releases} */
    DatagramPacket packet() throws InterruptedException {
        return Objects.requireNonNull(came.poll(Loops.PATIENCE_SECONDS, TimeUnit.SECONDS), "nothing came");
    }

    /** {@return the text of the next datagram} */
    String next() throws InterruptedException {
        DatagramPacket packet = packet();
        String text = packet.content().toString(StandardCharsets.US_ASCII);
        packet.release();
        return text;
    }

    /** Releases the datagrams that were not read. */
    void release() {
        came.forEach(DatagramPacket::release);
    }
}
