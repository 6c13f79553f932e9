package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A connection of Netty's that broke")
class NettyEndTest {
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<Boolean> timedOut = new LinkedBlockingQueue<>();

    /** As a stream asks it. */
    private final class Asks extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            // A read would find it first.
            context.channel().config().setAutoRead(false);
            accepted.add(context.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            timedOut.add(NettyEnd.timedOut(cause, context.channel().isOpen()));
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it, the channel's events tell
    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("in a write to a peer that has reset it has not timed out")
    void writeAfterReset(String epoll) throws Exception {
        try (LoopbackServer server = new LoopbackServer(epoll, new Asks())) {
            Socket peer =
                    new Socket(server.address().getAddress(), server.address().getPort());
            Channel channel = accepted.take();
            peer.setSoLinger(true, 0);
            peer.close();

            await().until(() -> {
                channel.write(Unpooled.wrappedBuffer(new byte[1]), channel.voidPromise());
                channel.flush();
                return !timedOut.isEmpty();
            });
            assertThat(timedOut.take()).isFalse();
        }
    }
}
