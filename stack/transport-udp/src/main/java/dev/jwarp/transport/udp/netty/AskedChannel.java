package dev.jwarp.transport.udp.netty;

import dev.jwarp.transport.udp.net.AskedSocket;
import dev.jwarp.transport.udp.net.OtherAddresses;
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
 * An {@link AskedSocket} with Linux's IP_RECVORIGDSTADDR. With two sockets at the wildcard address, Linux delivers
 * datagrams to the one that was bound last: this one. If Linux did not, the port's own socket would receive them, as
 * without this class.
 */
final class AskedChannel implements AskedSocket {
    private static final Logger LOG = LoggerFactory.getLogger(AskedChannel.class);
    private static final int LARGEST = 1 << 16;
    // Linux, include/uapi/linux/in.h.
    private static final int SOL_IP = 0;
    private static final int IP_MULTICAST_ALL = 49;

    private final EpollDatagramChannel channel;
    /** The event loop if this socket owns it; else null. */
    private final @Nullable MultiThreadIoEventLoopGroup group;

    private AskedChannel(EpollDatagramChannel channel, @Nullable MultiThreadIoEventLoopGroup group) {
        this.channel = channel;
        this.group = group;
    }

    /** Opens sockets with a thread of their own. This class can be loaded without Netty: then it opens nothing. */
    public static final class OwnThread implements Opener {
        /** For {@link java.util.ServiceLoader}. */
        public OwnThread() {}

        @Override
        public @Nullable AskedSocket open(int port, OtherAddresses taker) {
            try {
                return AskedChannel.open(port, taker);
            } catch (LinkageError e) {
                LoggerFactory.getLogger(OwnThread.class).debug("There is no suitable Netty", e);
                return null;
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nothing waits for that thread
    private static @Nullable AskedSocket open(int port, OtherAddresses taker) {
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

    /** {@return a socket on this event loop, which may be the caller's thread; null if it cannot be opened} */
    static @Nullable AskedSocket on(EventLoop eventLoop, int port, OtherAddresses taker) {
        EpollDatagramChannel channel = open(port, taker, eventLoop);
        return channel == null ? null : new AskedChannel(channel, null);
    }

    private static @Nullable EpollDatagramChannel open(int port, OtherAddresses taker, EventLoop eventLoop) {
        EpollDatagramChannel channel = null;
        try {
            channel = new EpollDatagramChannel(SocketProtocolFamily.INET);
            channel.config().setReusePort(true).setIpRecvOrigDestAddr(true);
            channel.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(LARGEST));
            // datagram-iWARP §G.2: groups have sockets of their own.
            new Socket(channel.fd().intValue()).setIntOpt(SOL_IP, IP_MULTICAST_ALL, 0);
            channel.pipeline().addLast(new Taking(taker));
            eventLoop.register(channel).syncUninterruptibly();
            channel.bind(new InetSocketAddress("0.0.0.0", port)).syncUninterruptibly();
            channel.config().setReusePort(false);
            return channel;
        } catch (Exception e) { // Netty throws checked exceptions without declaring them
            LOG.debug(
                    "Answers for addresses that the system does not list have a source address of the system's choice",
                    e);
            if (channel != null) {
                close(channel);
            }
            return null;
        }
    }

    private static final class Taking extends SimpleChannelInboundHandler<DatagramPacket> {
        private final OtherAddresses taker;

        Taking(OtherAddresses taker) {
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
            LOG.debug("Reading at a wildcard address", cause); // may be an ICMP error
        }
    }

    @Override
    public void share(boolean shared) {
        try {
            channel.config().setReusePort(shared);
        } catch (ChannelException e) {
            LOG.debug("The option to share this port could not be set", e);
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
