package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.io.Loop;
import dev.jwarp.io.Loops;
import dev.jwarp.io.WaitMode;
import dev.jwarp.io.netty.NettyEventLoops;
import dev.jwarp.llp.GivenLoops;
import dev.jwarp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.netty.DescriptorSockets;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("A stream whose peer has closed its direction")
class HalfClosedTest {
    /** More than sockets accept while the peer does not read. */
    private static final int BYTES = 32 << 20;

    private final TcpSettings settings = TcpSettings.of(Map.of());

    /** Sends after the peer has closed its direction, in a given number of buffers, and then closes. */
    private static StreamEngine answer(ByteBuffer[] output) {
        boolean[] asked = {false};
        return (StreamEngine) Proxy.newProxyInstance(
                StreamEngine.class.getClassLoader(),
                new Class<?>[] {StreamEngine.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "readQuota" -> (int) arguments[1] == 0 ? arguments[0] : 0;
                    case "onInputClosed" -> {
                        asked[0] = true;
                        yield null;
                    }
                    case "prepareOutput" -> asked[0] && output[output.length - 1].hasRemaining();
                    case "output" -> output;
                    case "outputCount" -> output.length;
                    case "onWritten" -> true;
                    case "endsTurn" -> (int) arguments[0] > 0;
                    case "nextTimeout" -> Long.MAX_VALUE;
                    case "ending" ->
                        output[output.length - 1].hasRemaining() ? StreamEngine.Ending.OPEN : StreamEngine.Ending.CLOSE;
                    default -> null;
                });
    }

    private Loops open(String kind, TransportContext context) throws IOException {
        Loops.Maker maker = watcher -> new Loop(WaitMode.SELECT, 1 << 16, watcher, context::noteFailed);
        return switch (kind) {
            case "epoll" -> new NettyEventLoops(maker, 1, "test");
            case "nio" ->
                new NettyEventLoops(
                        maker,
                        new GivenLoops(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()), null),
                        "test");
            default -> Loops.threads(maker, 1, "test");
        };
    }

    @ParameterizedTest
    @CsvSource({"epoll, 1, true", "epoll, 3, true", "epoll, 3, false", "nio, 1, true", "threads, 3, true"})
    @DisplayName("still sends more than the socket accepts at once, from any memory")
    void sendsOn(String kind, int buffers, boolean direct) throws Exception {
        Assumptions.assumeTrue(!kind.equals("epoll") || Epoll.isAvailable(), "NOT RUN: epoll cannot be had here");
        ByteBuffer[] output = new ByteBuffer[buffers];
        int each = BYTES / buffers;
        for (int i = 0; i < buffers; i++) {
            output[i] = direct ? ByteBuffer.allocateDirect(each) : ByteBuffer.allocate(each);
        }
        try (TransportContext context = new TransportContext(settings, 0, 1);
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Loops loops = open(kind, context);
            StreamSocket.Opener sockets =
                    kind.equals("epoll") ? new DescriptorSockets(settings) : new StreamChannels(settings);
            TcpLoop owner = new TcpLoop(loops.first(), context, sockets);
            StreamIo stream = new StreamIo(owner, (InetSocketAddress) listening.getLocalSocketAddress(), null);
            stream.attach(answer(output));
            assertThat(owner.reserve()).isTrue();
            owner.loop.note(() -> stream.connect(owner.loop.now()));
            try (Socket peer = listening.accept()) {
                peer.shutdownOutput();
                assertThat(peer.getInputStream().readAllBytes()).hasSize(each * buffers);
            }
            loops.close(() -> {});
        }
    }
}
