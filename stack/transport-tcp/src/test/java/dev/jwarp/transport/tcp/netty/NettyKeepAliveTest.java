package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jwarp.ddp.llp.KeepAliveTimes;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.TransportContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.unix.Errors.NativeIoException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A channel of Netty")
class NettyKeepAliveTest {
    private static final Map<String, String> TIMES = Map.of(
            "jwarp.tcp.keep-alive-idle",
            "77",
            "jwarp.tcp.keep-alive-interval",
            "11",
            "jwarp.tcp.keep-alive-probes",
            "3");

    /** What the engine of the stream was told. */
    private final List<String> told = new CopyOnWriteArrayList<>();

    private StreamEngine engine() {
        return (StreamEngine) Proxy.newProxyInstance(
                StreamEngine.class.getClassLoader(),
                new Class<?>[] {StreamEngine.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "readQuota" -> 8;
                    case "prepareOutput", "endsTurn" -> false;
                    case "nextTimeout" -> Long.MAX_VALUE;
                    case "ending" -> StreamEngine.Ending.OPEN;
                    default -> {
                        told.add(method.getName());
                        yield null;
                    }
                });
    }

    /** Something that is done with a connected stream, on its event loop, and its channel. */
    private interface Trial {
        void with(NettyStream stream, Channel channel) throws Exception;
    }

    private void connected(Map<String, String> settings, Trial trial) throws Exception {
        TcpSettings checked = TcpSettings.of(settings);
        NettySockets sockets = new NettySockets(checked);
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, sockets.ioHandlers());
        try (TransportContext context = new TransportContext(checked, 0, 1);
                ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            NettyLoop loop = new NettyLoop((EventLoop) group.next(), context);
            InetSocketAddress remote = (InetSocketAddress) peer.getLocalSocketAddress();
            NettyStream stream = new NettyStream(loop, remote, null, null);
            stream.attach(engine());
            Channel channel =
                    sockets.client(loop).handler(stream).connect(remote).sync().channel();
            channel.eventLoop()
                    .submit(() -> {
                        trial.with(stream, channel);
                        return null;
                    })
                    .sync();
            channel.close().sync();
        } finally {
            group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    /** {@return whether the peer is watched, and the three times as the system has them} */
    private static List<Object> options(Channel channel) {
        boolean epoll = channel instanceof EpollSocketChannel;
        return List.of(
                channel.config().getOption(ChannelOption.SO_KEEPALIVE),
                option(channel, epoll, EpollChannelOption.TCP_KEEPIDLE, ExtendedSocketOptions.TCP_KEEPIDLE),
                option(channel, epoll, EpollChannelOption.TCP_KEEPINTVL, ExtendedSocketOptions.TCP_KEEPINTERVAL),
                option(channel, epoll, EpollChannelOption.TCP_KEEPCNT, ExtendedSocketOptions.TCP_KEEPCOUNT));
    }

    private static Object option(
            Channel channel, boolean epoll, ChannelOption<Integer> ofEpoll, java.net.SocketOption<Integer> ofNio) {
        return channel.config().getOption(epoll ? ofEpoll : NioChannelOption.of(ofNio));
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("has its peer watched as the settings say, and then as the connection does")
    void watched(String epoll) throws Exception {
        Map<String, String> settings = new java.util.HashMap<>(TIMES);
        settings.put("jwarp.tcp.epoll", epoll);
        connected(settings, (stream, channel) -> {
            assertThat(told).contains("onConnected");
            assertThat(options(channel)).containsExactly(true, 77, 11, 3);
            stream.keepAlive(new KeepAliveTimes(true, 5, 4, 2));
            assertThat(options(channel)).containsExactly(true, 5, 4, 2);
            stream.keepAlive(KeepAliveTimes.OFF);
            assertThat(channel.config().getOption(ChannelOption.SO_KEEPALIVE)).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("has its peer not watched where a setting forbids it, and after all where the connection wants that")
    void notWatched(String epoll) throws Exception {
        connected(Map.of("jwarp.tcp.epoll", epoll, "jwarp.tcp.keep-alive", "off"), (stream, channel) -> {
            assertThat(channel.config().getOption(ChannelOption.SO_KEEPALIVE)).isFalse();
            stream.keepAlive(new KeepAliveTimes(true, 5, 4, 2));
            assertThat(options(channel)).containsExactly(true, 5, 4, 2);
        });
    }

    private static void numbers() {
        assumeTrue(Epoll.isAvailable(), "NOT RUN: only epoll knows the system's numbers");
    }

    @ParameterizedTest
    @ValueSource(ints = {-110, -112, -113, -101})
    @DisplayName("tells its engine that the peer does not answer, when the system's number says so")
    void timedOut(int number) throws Exception {
        numbers();
        connected(Map.of(), (stream, channel) -> {
            channel.pipeline().fireExceptionCaught(new NativeIoException("read", number));
            assertThat(told).contains("onTimedOut").doesNotContain("onBroken");
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {-104, -32, -5})
    @DisplayName("tells its engine that it broke, for any other number")
    void broken(int number) throws Exception {
        numbers();
        connected(Map.of(), (stream, channel) -> {
            channel.pipeline().fireExceptionCaught(new NativeIoException("read", number));
            assertThat(told).contains("onBroken").doesNotContain("onTimedOut");
        });
    }

    @Test
    @DisplayName("whose write fails says it too, and in java.nio's words a read alone does")
    void causes() {
        numbers();
        Throwable write = new ClosedChannelException().initCause(new NativeIoException("write", -110));
        assertThat(NettyEnd.timedOut(write, false)).isTrue();
        assertThat(NettyEnd.timedOut(new ClosedChannelException().initCause(new IOException("timed out")), false))
                .isFalse();
        assertThat(NettyEnd.timedOut(new IOException("abgelaufen"), true)).isTrue();
        assertThat(NettyEnd.timedOut(new SocketException("Connection reset"), true))
                .isFalse();
        assertThat(NettyEnd.timedOut(new IllegalStateException("timed out"), true))
                .isFalse();
    }

    @Test
    @DisplayName("that is closed already is no failure of who watches it")
    void closed() throws Exception {
        connected(Map.of(), (stream, channel) -> {
            assertThat(channel.close().isDone())
                    .as("at once, on its event loop")
                    .isTrue();
            assertThatCode(() -> stream.keepAlive(new KeepAliveTimes(true, 5, 4, 2)))
                    .doesNotThrowAnyException();
        });
    }
}
