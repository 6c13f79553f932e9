package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.transport.tcp.TcpSettings;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A connection of Netty's that broke")
class NettyEndTest {
    private final BlockingQueue<Boolean> timedOut = new LinkedBlockingQueue<>();

    /** As a stream asks it. */
    private class Asks extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            timedOut.add(NettyEnd.timedOut(cause, context.channel().isOpen()));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it, the channel's events tell
    @Timeout(60)
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("in a write to a peer that has reset it has not timed out")
    void writeAfterReset(String epoll) throws Exception {
        NettySockets sockets = new NettySockets(TcpSettings.of(Map.of("jwarp.tcp.epoll", epoll)));
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, sockets.ioHandlers());
        BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
        try {
            Channel server = sockets.server(1)
                    .group(group)
                    .childHandler(new Asks() {
                        @Override
                        public void channelActive(ChannelHandlerContext context) {
                            // A read would find it first.
                            context.channel().config().setAutoRead(false);
                            accepted.add(context.channel());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            InetSocketAddress address = (InetSocketAddress) server.localAddress();
            Socket peer = new Socket(address.getAddress(), address.getPort());
            Channel channel = accepted.take();
            peer.setSoLinger(true, 0);
            peer.close();

            await().until(() -> {
                channel.write(Unpooled.wrappedBuffer(new byte[1]), channel.voidPromise());
                channel.flush();
                return !timedOut.isEmpty();
            });
            assertThat(timedOut.take()).isFalse();
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
