package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.AskedSocket;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.SocketProtocolFamily;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * By IP_RECVORIGDSTADDR of Linux. Of two sockets at the wildcard address Linux gives datagrams to the one bound last, which is this; if it did not,
 * the port's own would get them, as if this were not there.
 */
final class AskedChannel implements AskedSocket {
    private static final Logger LOG = LoggerFactory.getLogger(AskedChannel.class);
    private static final int LARGEST = 1 << 16;
    // Linux, include/uapi/linux/in.h.
    private static final int SOL_IP = 0;
    private static final int IP_MULTICAST_ALL = 49;

    private final EpollDatagramChannel channel;
    /** With a thread of its own; null if the event loop is another's. */
    private final @Nullable MultiThreadIoEventLoopGroup group;

    private AskedChannel(EpollDatagramChannel channel, @Nullable MultiThreadIoEventLoopGroup group) {
        this.channel = channel;
        this.group = group;
    }

    /** Those with a thread of their own. This class can be loaded without Netty: then it opens nothing. */
    public static final class OwnThread implements Opener {
        /** For {@link java.util.ServiceLoader}. */
        public OwnThread() {}

        @Override
        public @Nullable AskedSocket open(int port, Taker taker) {
            try {
                return AskedChannel.open(port, taker);
            } catch (LinkageError e) {
                LoggerFactory.getLogger(OwnThread.class).debug("There is no Netty that fits", e);
                return null;
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing waits for that thread
    private static @Nullable AskedSocket open(int port, Taker taker) {
        if (!Epoll.isAvailable()) {
            return null;
        }
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("jwarp-udp-asked", true), EpollIoHandler.newFactory());
        EpollDatagramChannel channel = open(port, taker, group.next());
        if (channel == null) {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            return null;
        }
        return new AskedChannel(channel, group);
    }

    /** {@return one on this event loop, which may be the caller's thread; null if it cannot be had} */
    static @Nullable AskedSocket on(EventLoop eventLoop, int port, Taker taker) {
        EpollDatagramChannel channel = open(port, taker, eventLoop);
        return channel == null ? null : new AskedChannel(channel, null);
    }

    private static @Nullable EpollDatagramChannel open(int port, Taker taker, EventLoop eventLoop) {
        EpollDatagramChannel channel = null;
        try {
            channel = new EpollDatagramChannel(SocketProtocolFamily.INET);
            channel.config().setReusePort(true).setIpRecvOrigDestAddr(true);
            channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(LARGEST));
            // datagram-iWARP §12 (DG-12-7): groups have sockets of their own.
            new Socket(channel.fd().intValue()).setIntOpt(SOL_IP, IP_MULTICAST_ALL, 0);
            channel.pipeline().addLast(new Taking(taker));
            eventLoop.register(channel).syncUninterruptibly();
            channel.bind(new InetSocketAddress("0.0.0.0", port)).syncUninterruptibly();
            channel.config().setReusePort(false);
            return channel;
        } catch (Exception e) { // Netty throws whatever there was, declared or not
            LOG.debug("Addresses that the system does not list are answered from one of its choice", e);
            if (channel != null) {
                close(channel);
            }
            return null;
        }
    }

    private static final class Taking extends SimpleChannelInboundHandler<DatagramPacket> {
        private final Taker taker;

        Taking(Taker taker) {
            this.taker = taker;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            taker.take(
                    ByteBufUtil.getBytes(packet.content()),
                    packet.sender(),
                    packet.recipient().getAddress());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.debug("Reading at a wildcard address", cause); // an ICMP error, perhaps
        }
    }

    @Override
    public void share(boolean shared) {
        try {
            channel.config().setReusePort(shared);
        } catch (ChannelException e) {
            LOG.debug("No other socket can have this port", e);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing waits for that
    @Override
    public void close() {
        close(channel);
        if (group != null) {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    private static void close(Channel channel) {
        channel.close().awaitUninterruptibly();
    }
}
