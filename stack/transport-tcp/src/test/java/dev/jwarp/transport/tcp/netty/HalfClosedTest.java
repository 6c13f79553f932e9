package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.net.Socket;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A channel whose peer has closed its direction")
class HalfClosedTest {
    /** More than sockets take while nobody reads. */
    private static final int OCTETS = 32 << 20;

    /** Sends when it has heard that the peer sends no more, and then closes. */
    private static final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownReadComplete) {
                Channel channel = context.channel();
                // Later: by then the channel asks for no event any more.
                context.executor()
                        .execute(() -> channel.writeAndFlush(
                                        Unpooled.directBuffer(OCTETS).writeZero(OCTETS))
                                .addListener(ChannelFutureListener.CLOSE));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("still sends more than the sockets take at once")
    void sendsOn(String epoll) throws Exception {
        try (LoopbackServer server = new LoopbackServer(epoll, new Answer());
                Socket peer = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            peer.shutdownOutput();
            assertThat(peer.getInputStream().readAllBytes()).hasSize(OCTETS);
        }
    }
}
