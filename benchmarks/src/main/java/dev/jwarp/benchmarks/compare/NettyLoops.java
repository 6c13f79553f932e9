package dev.jwarp.benchmarks.compare;

import dev.jwarp.sockets.netty.JwarpIoHandler;
import dev.jwarp.sockets.netty.JwarpServerSocketChannel;
import dev.jwarp.sockets.netty.JwarpSocketChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;

/** An event loop for each end: with epoll, or with jwarp. */
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

    /** Starts a server at a free port of loopback; each of its connections has this handler. */
    Channel listen(ChannelHandler handler) throws InterruptedException {
        return new ServerBootstrap()
                .group(server)
                .channel(serverChannel)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(initializer(handler))
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
    }

    /** Connects to a server, with this handler. */
    Channel connect(Channel to, ChannelHandler handler) throws InterruptedException {
        return new Bootstrap()
                .group(client)
                .channel(channel)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(initializer(handler))
                .connect(to.localAddress())
                .sync()
                .channel();
    }

    /**
     * {@return duration of a round in nanoseconds} The event loop of the channel begins the round; the latch signals
     * its end.
     */
    static long timed(Channel channel, long nanos, ObjLongConsumer<CountDownLatch> round) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        long start = System.nanoTime();
        channel.eventLoop().execute(() -> round.accept(done, start + nanos));
        done.await();
        return System.nanoTime() - start;
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
        server.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        client.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
