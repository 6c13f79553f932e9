package dev.jwarp.transport.tcp.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpConnection;
import dev.jwarp.llp.Transport;
import dev.jwarp.transport.tcp.EchoPair;
import dev.jwarp.transport.tcp.net.TcpTransport;
import dev.jwarp.vectors.Patience;
import io.netty.channel.epoll.Epoll;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The event loops of the Netty driver")
class NettyLoopTest {
    private static final ConnectionHandler IDLE = (ConnectionHandler) Proxy.newProxyInstance(
            ConnectionHandler.class.getClassLoader(),
            new Class<?>[] {ConnectionHandler.class},
            (proxy, method, arguments) -> null);

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("are those of epoll if the system has it, and threads with selectors if a setting says so")
    void epoll(String epoll) {
        NettyTransportProvider provider = new NettyTransportProvider();
        assertThat(provider.inline()).isFalse();
        Map<String, String> settings = Map.of("jwarp.progress.native", epoll);
        try (EchoPair pair = new EchoPair(provider, settings).connect()) {
            AtomicReference<Thread> thread = new AtomicReference<>();
            pair.connection().execute(() -> thread.set(Thread.currentThread()));
            await().until(() -> thread.get() != null);
            assertThat(thread.get() instanceof FastThreadLocalThread)
                    .isEqualTo(epoll.equals("on") && Epoll.isAvailable());
        }
    }

    @Test
    @DisplayName("are the owners of their connections, and run tasks of other threads")
    void owner() {
        try (EchoPair pair = new EchoPair(new NettyTransportProvider(), Map.of()).connect()) {
            AtomicReference<String> thread = new AtomicReference<>();
            pair.connection().execute(() -> thread.set(Thread.currentThread().getName()));
            await().until(() -> thread.get() != null);
            assertThat(thread.get()).startsWith("jwarp-io-");
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

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    @DisplayName("do not wait for each other if one of them closes a listener of another")
    void closeListener(String epoll) throws Exception {
        Map<String, String> one = Map.of("jwarp.tcp.event-loops", "1", "jwarp.progress.native", epoll);
        NettyTransportProvider provider = new NettyTransportProvider();
        try (Transport mine = provider.open(one);
                Transport other = provider.open(one)) {
            Transport.Listener listener =
                    other.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1, IDLE);
            CountDownLatch busy = new CountDownLatch(1);
            CountDownLatch closed = new CountDownLatch(1);
            AtomicBoolean waited = new AtomicBoolean();
            other.later(() -> {
                busy.countDown();
                try {
                    waited.set(closed.await(Patience.MILLIS, TimeUnit.MILLISECONDS));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            busy.await();
            mine.later(() -> {
                listener.close();
                closed.countDown();
            });
            await().untilTrue(waited);
        }
    }

    @Test
    @DisplayName("run late tasks after their end, so no thread waits for ever")
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
    @DisplayName("count no connections after all have ended")
    void releasesConnections() {
        EchoPair pair = new EchoPair(new NettyTransportProvider(), Map.of()).connect();
        TcpTransport client = (TcpTransport) pair.client;
        TcpTransport server = (TcpTransport) pair.server;
        assertThat(client.connections()).isEqualTo(1);
        assertThat(server.connections()).isEqualTo(1);
        pair.connection().execute(pair.connection()::abort);
        await().until(() -> client.connections() == 0 && server.connections() == 0);
        pair.close();
    }
}
