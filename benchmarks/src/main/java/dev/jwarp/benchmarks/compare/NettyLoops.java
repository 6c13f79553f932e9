package dev.jwarp.benchmarks.compare;

import dev.jwarp.sockets.netty.JwarpIoHandler;
import dev.jwarp.sockets.netty.JwarpServerSocketChannel;
import dev.jwarp.sockets.netty.JwarpSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;

/** An event loop for each end: of epoll, or of jwarp. */
final class NettyLoops implements AutoCloseable {
    final EventLoopGroup server;
    final EventLoopGroup client;
    final Class<? extends ServerChannel> serverChannel;
    final Class<? extends Channel> channel;

    /** @param arguments {@code transport=epoll|jwarp} */
    NettyLoops(Arguments arguments) {
        boolean jwarp = arguments.is("transport", "jwarp");
        IoHandlerFactory handlers = jwarp ? JwarpIoHandler.newFactory() : EpollIoHandler.newFactory();
        server = new MultiThreadIoEventLoopGroup(1, handlers);
        client = new MultiThreadIoEventLoopGroup(1, handlers);
        serverChannel = jwarp ? JwarpServerSocketChannel.class : EpollServerSocketChannel.class;
        channel = jwarp ? JwarpSocketChannel.class : EpollSocketChannel.class;
    }

    static ChannelHandler initializer(ChannelHandler handler) {
        return new ChannelInitializer<SocketChannel>() {
            @Override
            protected void initChannel(SocketChannel channel) {
                channel.pipeline().addLast(handler);
            }
        };
    }

    @Override
    public void close() {
        server.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
        client.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    }
}
