package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.KeepAliveTimes;
import dev.jwarp.llp.StreamEngine;
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
class KeepAliveTest {
    private static final Map<String, String> TIMES = Map.of("jwarp.tcp.keep-alive", "77, 11, 3");

    /** {@return whether keep-alive is on, and its three values in the system} */
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

    private static SocketChannel opened(Map<String, String> settings) throws IOException {
        return ((StreamChannelSocket) new StreamChannels(TcpSettings.of(settings)).open(null)).channel();
    }

    @Test
    @DisplayName("that connects has keep-alive with the default times")
    void byDefault() throws IOException {
        try (SocketChannel channel = opened(Map.of())) {
            assertThat(options(channel)).containsExactly(true, 60, 10, 6);
        }
    }

    @Test
    @DisplayName("that connects has the keep-alive of the settings")
    void asSet() throws IOException {
        try (SocketChannel channel = opened(TIMES)) {
            assertThat(options(channel)).containsExactly(true, 77, 11, 3);
        }
        try (SocketChannel channel = opened(Map.of("jwarp.tcp.keep-alive", "off"))) {
            assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isFalse();
        }
    }

    @Test
    @DisplayName("that was accepted has the keep-alive of the settings, then that of the connection")
    void taken() throws IOException {
        try (TcpRig rig = new TcpRig(TIMES);
                ServerSocketChannel listening =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel peer = SocketChannel.open(listening.getLocalAddress())) {
            SocketChannel channel = listening.accept();
            StreamIo stream = rig.stream((InetSocketAddress) peer.getLocalAddress());
            stream.attach(engine());
            StreamSocket socket = new StreamChannelSocket(new StreamChannels(TcpSettings.of(TIMES)), channel);
            rig.loop.note(
                    () -> stream.accepted(socket, rig.owner.reserve(stream.remoteAddress(), 0, true), rig.loop.now()));
            Awaitility.await().pollInSameThread().until(() -> {
                rig.loop.poll();
                return stream.blockable() != null;
            });
            assertThat(options(channel)).containsExactly(true, 77, 11, 3);
            stream.keepAlive(new KeepAliveTimes(true, 5, 4, 2));
            assertThat(options(channel)).containsExactly(true, 5, 4, 2);
            stream.keepAlive(KeepAliveTimes.OFF);
            assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isFalse();
            channel.close();
            stream.keepAlive(new KeepAliveTimes(true, 5, 4, 2)); // must not throw
        }
    }

    private static StreamEngine engine() {
        return (StreamEngine) Proxy.newProxyInstance(
                StreamEngine.class.getClassLoader(),
                new Class<?>[] {StreamEngine.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "readQuota" -> (int) arguments[1] == 0 ? 8 : 0;
                    case "prepareOutput", "endsTurn" -> false;
                    case "nextTimeout" -> Long.MAX_VALUE;
                    case "ending" -> StreamEngine.Ending.OPEN;
                    case "connection" ->
                        Proxy.newProxyInstance(
                                StreamEngine.class.getClassLoader(),
                                new Class<?>[] {dev.jwarp.llp.LlpConnection.class},
                                (one, what, with) -> null);
                    default -> null;
                });
    }
}
