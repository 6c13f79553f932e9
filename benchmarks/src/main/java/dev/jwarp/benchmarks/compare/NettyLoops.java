package dev.jwarp.benchmarks.compare;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;

/** An epoll event loop for each end. */
final class NettyLoops implements AutoCloseable {
    final EventLoopGroup server = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    final EventLoopGroup client = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    final Class<? extends ServerChannel> serverChannel = EpollServerSocketChannel.class;
    final Class<? extends Channel> channel = EpollSocketChannel.class;

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
