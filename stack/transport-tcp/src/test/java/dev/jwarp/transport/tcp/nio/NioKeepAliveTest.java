package dev.jwarp.transport.tcp.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpSettings;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A socket of java.nio")
class NioKeepAliveTest {
    private static final Map<String, String> TIMES = Map.of(
            "jwarp.tcp.keep-alive-idle",
            "77",
            "jwarp.tcp.keep-alive-interval",
            "11",
            "jwarp.tcp.keep-alive-probes",
            "3");

    /** {@return whether the peer is watched, and the three times as the system has them} */
    private static List<Object> options(SocketChannel channel) throws IOException {
        List<Object> values = new ArrayList<>();
        for (SocketOption<?> option : List.of(
                StandardSocketOptions.SO_KEEPALIVE,
                ExtendedSocketOptions.TCP_KEEPIDLE,
                ExtendedSocketOptions.TCP_KEEPINTERVAL,
                ExtendedSocketOptions.TCP_KEEPCOUNT)) {
            values.add(channel.getOption(option));
        }
        return values;
    }

    @Test
    @DisplayName("that connects has its peer watched, with mild times")
    void byDefault() throws IOException {
        try (SocketChannel channel = new NioSockets(TcpSettings.of(Map.of())).open(null)) {
            assertThat(options(channel)).containsExactly(true, 60, 10, 6);
        }
    }

    @Test
    @DisplayName("that connects has its peer watched as the settings say")
    void asSet() throws IOException {
        try (SocketChannel channel = new NioSockets(TcpSettings.of(TIMES)).open(null)) {
            assertThat(options(channel)).containsExactly(true, 77, 11, 3);
        }
        try (SocketChannel channel = new NioSockets(TcpSettings.of(Map.of("jwarp.tcp.keep-alive", "off"))).open(null)) {
            assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isFalse();
        }
    }

    @Test
    @DisplayName("that was taken has its peer watched as the settings say, and then as the connection does")
    void taken() throws IOException {
        TcpLoop[] made = new TcpLoop[1];
        NioShared shared = new NioShared(TcpSettings.of(TIMES));
        NioTransport transport = new NioTransport(shared, parts -> made[0] = new TcpLoop(parts));
        try (ServerSocketChannel listening =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel peer = SocketChannel.open(listening.getLocalAddress())) {
            SocketChannel channel = listening.accept();
            NioStream stream = new NioStream(made[0], shared, (InetSocketAddress) peer.getLocalAddress(), null);
            stream.attach(engine());
            made[0].note(() -> stream.accepted(
                    channel, shared.context.reserveConnection(stream.remoteAddress(), 0), made[0].now()));
            Awaitility.await().pollInSameThread().until(() -> {
                transport.poll();
                return stream.isQuiet();
            });
            assertThat(options(channel)).containsExactly(true, 77, 11, 3);
            stream.keepAlive(new KeepAliveTimes(true, 5, 4, 2));
            assertThat(options(channel)).containsExactly(true, 5, 4, 2);
            stream.keepAlive(KeepAliveTimes.OFF);
            assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isFalse();
        } finally {
            transport.close();
        }
    }

    private static StreamEngine engine() {
        return (StreamEngine) Proxy.newProxyInstance(
                StreamEngine.class.getClassLoader(),
                new Class<?>[] {StreamEngine.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "readQuota" -> 8;
                    case "prepareOutput", "endsTurn" -> false;
                    case "nextTimeout" -> Long.MAX_VALUE;
                    case "ending" -> StreamEngine.Ending.OPEN;
                    case "connection" ->
                        Proxy.newProxyInstance(
                                StreamEngine.class.getClassLoader(),
                                new Class<?>[] {dev.jwarp.ddp.llp.LlpConnection.class},
                                (one, what, with) -> null);
                    default -> null;
                });
    }
}
