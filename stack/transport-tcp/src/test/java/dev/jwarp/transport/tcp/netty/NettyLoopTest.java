package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import dev.jwarp.ddp.llp.ConnectionHandler;
import dev.jwarp.ddp.llp.LlpConnection;
import dev.jwarp.ddp.llp.StreamEngine;
import dev.jwarp.transport.tcp.EchoPair;
import dev.jwarp.transport.tcp.TcpCounter;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.transport.tcp.net.TransportContext;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The event loops of the Netty driver")
class NettyLoopTest {
    @Test
    @DisplayName("are epoll's where it can be had, and Netty's own where a setting wants that")
    void epoll() {
        NettyTransportProvider provider = new NettyTransportProvider();
        assertThat(provider.inline()).isFalse();
        try (NettyTransport epoll = (NettyTransport) provider.open(Map.of());
                NettyTransport fallback = (NettyTransport) provider.open(Map.of("jwarp.tcp.epoll", "off"))) {
            assertThat(epoll.isEpoll()).isEqualTo(io.netty.channel.epoll.Epoll.isAvailable());
            assertThat(fallback.isEpoll()).isFalse();
        }
    }

    @Test
    @DisplayName("are the owners of their connections, also of tasks from elsewhere")
    void owner() {
        try (EchoPair pair = new EchoPair(new NettyTransportProvider(), Map.of()).connect()) {
            AtomicReference<String> thread = new AtomicReference<>();
            pair.connection().execute(() -> thread.set(Thread.currentThread().getName()));
            await().until(() -> thread.get() != null);
            assertThat(thread.get()).startsWith("jwarp-tcp-");
        }
    }

    @Test
    @DisplayName("end when one of them closes the transport")
    void closeFromLoop() {
        EchoPair pair = new EchoPair(new NettyTransportProvider(), Map.of()).connect();
        pair.connection().execute(pair.client::close);
        await().until(() -> pair.clientUpper.isClosed());
        pair.close();
    }

    @Test
    @DisplayName("run what comes late when they have ended: who waits for it waits for something")
    void ended() {
        EchoPair pair = new EchoPair(new NettyTransportProvider(), Map.of()).connect();
        LlpConnection connection = pair.connection();
        pair.close();
        assertThatNoException().isThrownBy(connection::doorbell);
        AtomicBoolean done = new AtomicBoolean();
        assertThatNoException().isThrownBy(() -> connection.execute(() -> done.set(true)));
        await().untilTrue(done);
    }

    @Test
    @DisplayName("count when the system has no descriptor left for a connection")
    void acceptFailed() {
        try (TransportContext context = new TransportContext(TcpSettings.of(Map.of()), 0, 1)) {
            EmbeddedChannel listening = new EmbeddedChannel(new NettyListener.FailureCounter(context));
            listening.pipeline().fireExceptionCaught(new java.io.IOException("Too many open files"));
            assertThat(context.counters().get(TcpCounter.ACCEPT_FAILED)).isEqualTo(1);
            assertThat(listening.isOpen()).isTrue();
        }
    }

    @Test
    @DisplayName("end a connection whose channel cannot be set up, and count it no more")
    void channelThatFails() {
        try (TransportContext context = new TransportContext(TcpSettings.of(Map.of()), 0, 1)) {
            AtomicReference<RuntimeException> failure = new AtomicReference<>();
            EmbeddedChannel channel = new EmbeddedChannel() {
                @Override
                public ChannelConfig config() {
                    RuntimeException once = failure.getAndSet(null);
                    if (once != null) {
                        throw once;
                    }
                    return super.config();
                }
            };
            NettyLoop loop = new NettyLoop(channel.eventLoop(), context);
            InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7174);
            NettyStream stream = new NettyStream(loop, remote, null, null);
            ConnectionHandler handler = (ConnectionHandler) Proxy.newProxyInstance(
                    ConnectionHandler.class.getClassLoader(),
                    new Class<?>[] {ConnectionHandler.class},
                    (proxy, method, arguments) -> null);
            stream.attach(loop.engines().responder(stream, handler, 0));
            stream.start(context.reserveConnection(remote, 0));
            assertThat(context.connections()).isEqualTo(1);
            failure.set(new IllegalStateException("no memory"));
            channel.pipeline().addLast(stream);
            assertThat(context.connections()).isZero();
            assertThat(channel.isOpen()).isFalse();
            loop.release();
        }
    }

    @Test
    @DisplayName("fire a timer that is due when what came before has been read")
    void inputBeforeTimers() {
        try (TransportContext context = new TransportContext(TcpSettings.of(Map.of()), 0, 1)) {
            List<String> told = new ArrayList<>();
            AtomicLong timeout = new AtomicLong(Long.MAX_VALUE);
            StreamEngine engine = (StreamEngine) Proxy.newProxyInstance(
                    StreamEngine.class.getClassLoader(),
                    new Class<?>[] {StreamEngine.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "readQuota" -> 8;
                        case "prepareOutput", "endsTurn" -> false;
                        case "nextTimeout" -> timeout.get();
                        case "ending" -> StreamEngine.Ending.OPEN;
                        default -> {
                            told.add(method.getName());
                            if (method.getName().equals("onTimeout")) {
                                timeout.set(Long.MAX_VALUE);
                            }
                            yield null;
                        }
                    });
            EmbeddedChannel channel = new EmbeddedChannel();
            NettyLoop loop = new NettyLoop(channel.eventLoop(), context);
            InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7174);
            NettyStream stream = new NettyStream(loop, remote, null, null);
            stream.attach(engine);
            stream.start(context.reserveConnection(remote, 0));
            channel.pipeline().addLast(stream);
            told.clear();
            RecvByteBufAllocator.ExtendedHandle reads =
                    loop.ringAllocator(engine).newHandle();
            timeout.set(System.nanoTime() - 1);
            stream.execute(() -> {}); // a look: it sets the timer, which is due at once
            channel.runScheduledPendingTasks();
            assertThat(told).as("the sockets come first").isEmpty();
            timeout.set(Long.MAX_VALUE); // the answer is there
            channel.pipeline().fireChannelRead(reads.allocate(channel.alloc()).writeZero(4));
            channel.runPendingTasks();
            assertThat(told).containsExactly("receive");
            timeout.set(System.nanoTime() - 1);
            stream.execute(() -> {});
            channel.runPendingTasks(); // the timer
            channel.runPendingTasks(); // nothing came
            assertThat(told).containsExactly("receive", "onTimeout");
            channel.close().syncUninterruptibly();
            loop.release();
        }
    }

    @Test
    @DisplayName("count no connection any more when all are over")
    void releasesConnections() {
        EchoPair pair = new EchoPair(new NettyTransportProvider(), Map.of()).connect();
        NettyTransport client = (NettyTransport) pair.client;
        NettyTransport server = (NettyTransport) pair.server;
        assertThat(client.connections()).isEqualTo(1);
        assertThat(server.connections()).isEqualTo(1);
        pair.connection().execute(pair.connection()::abort);
        await().until(() -> client.connections() == 0 && server.connections() == 0);
        pair.close();
    }
}
