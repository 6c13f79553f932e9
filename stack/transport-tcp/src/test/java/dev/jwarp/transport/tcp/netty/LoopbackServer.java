package dev.jwarp.transport.tcp.netty;

import dev.jwarp.transport.tcp.TcpSettings;
import io.netty.channel.ChannelHandler;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One event loop that listens on loopback, for one connection. */
final class LoopbackServer implements AutoCloseable {
    private final MultiThreadIoEventLoopGroup group;
    private final InetSocketAddress address;

    /**
     * Listens at once.
     *
     * @param epoll on or off: then java.nio
     * @param handler of the connection
     */
    LoopbackServer(String epoll, ChannelHandler handler) throws InterruptedException {
        NettySockets sockets = new NettySockets(TcpSettings.of(Map.of("jwarp.tcp.epoll", epoll)));
        group = new MultiThreadIoEventLoopGroup(1, sockets.ioHandlers());
        address = (InetSocketAddress) sockets.server(1)
                .group(group)
                .childHandler(handler)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel()
                .localAddress();
    }

    InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
