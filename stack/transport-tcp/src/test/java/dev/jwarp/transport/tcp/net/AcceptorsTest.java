package dev.jwarp.transport.tcp.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.ConnectionHandler;
import dev.jwarp.llp.LlpException;
import dev.jwarp.llp.LlpFailure;
import dev.jwarp.llp.Transport;
import dev.jwarp.transport.tcp.TcpSettings;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Transports that share a port")
class AcceptorsTest {
    private static final ConnectionHandler IDLE = new IdleHandler();

    private static final String LIMIT = "jwarp.tcp.max-connections";
    private static final String SOURCE_LIMIT = "jwarp.tcp.max-connections-per-source";
    private static final int BACKLOG = 1000;
    private static final int MANY = 40;
    private static final int FEW = 4;

    private final List<SocketChannel> clients = new ArrayList<>();

    @AfterEach
    void closeClients() throws IOException {
        for (SocketChannel client : clients) {
            client.close();
        }
    }

    /** One of the transports. */
    private static final class Taker implements AutoCloseable {
        final TcpTransport transport;
        final Transport.Listener listener;

        private Taker(Map<String, String> settings) {
            transport = NioTransportProvider.open(TcpSettings.of(Patience.with(Patience.OF_TCP, settings)), null);
            listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG, IDLE);
        }

        private Taker(Taker with, Map<String, String> settings) {
            transport = NioTransportProvider.open(TcpSettings.of(Patience.with(Patience.OF_TCP, settings)), null);
            listener = Objects.requireNonNull(transport.listen(with.listener, BACKLOG, IDLE));
        }

        /** {@return the number of its connections, including queued sockets} */
        int connections() {
            return transport.connections();
        }

        long count(String counter) {
            return transport.counters().stream()
                    .filter(one -> one.name().equals(counter))
                    .findAny()
                    .orElseThrow()
                    .value();
        }

        long refused() {
            return count("tcp_refused_at_limit") + count("tcp_refused_at_source_limit") + count("tcp_not_taken_over");
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    private static Map<String, String> atMost(int connections) {
        String number = Integer.toString(connections);
        return Map.of(LIMIT, number, SOURCE_LIMIT, number);
    }

    private static Taker host(Map<String, String> settings) {
        return new Taker(settings);
    }

    private static Taker guest(Taker with, Map<String, String> settings) {
        return new Taker(with, settings);
    }

    private void connect(Taker to, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            clients.add(SocketChannel.open(to.listener.localAddress()));
        }
    }

    private static void await(BooleanSupplier done, Taker... polled) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime() - start).isLessThan(Patience.NANOS);
            for (Taker one : polled) {
                one.transport.poll();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({LIMIT + ", true", LIMIT + ", false", SOURCE_LIMIT + ", true", SOURCE_LIMIT + ", false"})
    @DisplayName("refuse no connection while one of them has room")
    void oneIsFull(String limit, boolean hostIsFull) throws IOException {
        Map<String, String> few = limit.equals(LIMIT) ? atMost(FEW) : Map.of(SOURCE_LIMIT, Integer.toString(FEW));
        try (Taker host = host(hostIsFull ? few : Map.of());
                Taker guest = guest(host, hostIsFull ? Map.of() : few)) {
            connect(host, MANY);
            await(() -> host.count("tcp_accepted") + guest.count("tcp_accepted") == MANY, host, guest);
            assertThat((hostIsFull ? host : guest).connections()).isEqualTo(FEW);
            assertThat((hostIsFull ? guest : host).connections()).isEqualTo(MANY - FEW);
            assertThat(host.refused() + guest.refused()).isZero();
        }
    }

    @Test
    @DisplayName("count queued sockets of an idle owner as its connections; when it closes, the others get them")
    void waiting() throws IOException {
        try (Taker host = host(Map.of());
                Taker guest = guest(host, atMost(FEW))) {
            connect(host, MANY);
            await(() -> host.connections() == MANY - FEW, host);
            assertThat(guest.connections()).isEqualTo(FEW);
            assertThat(guest.count("tcp_accepted")).isZero();

            guest.listener.close();
            assertThat(guest.connections()).isZero();
            assertThat(host.connections()).isEqualTo(MANY);
            await(() -> host.count("tcp_accepted") == MANY, host);
            assertThat(host.refused() + guest.refused()).isZero();
        }
    }

    @Test
    @DisplayName("refuse if none has room; the owner of the port counts that")
    void allAreFull() throws IOException {
        Map<String, String> few = atMost(FEW);
        try (Taker host = host(few);
                Taker guest = guest(host, few)) {
            connect(host, MANY);
            await(() -> host.refused() == MANY - 2 * FEW, host, guest);
            assertThat(host.count("tcp_refused_at_limit")).isEqualTo(MANY - 2 * FEW);
            assertThat(host.connections() + guest.connections()).isEqualTo(2 * FEW);
            assertThat(guest.refused()).isZero();
        }
    }

    @Test
    @DisplayName("reset and count the queued sockets of a closed one if no other has room")
    void notTakenOver() throws IOException {
        try (Taker host = host(atMost(1));
                Taker guest = guest(host, Map.of())) {
            connect(host, FEW + 1);
            await(() -> host.connections() == 1 && guest.connections() == FEW, host);
            guest.listener.close();
            assertThat(guest.count("tcp_not_taken_over")).isEqualTo(FEW);
            assertThat(guest.connections() + host.connections()).isEqualTo(1);
            for (SocketChannel client : clients) {
                client.configureBlocking(false);
            }
            await(() -> clients.stream().filter(AcceptorsTest::isReset).count() >= FEW);
            assertThat(clients.stream().filter(AcceptorsTest::isReset)).hasSize(FEW);
        }
    }

    private static boolean isReset(SocketChannel client) {
        try {
            return client.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"select", "spin", "block"})
    @DisplayName("accept 64 waiting sockets in a turn, and the others in the next turns")
    void oneTurn(String wait) throws IOException {
        try (Taker host = host(Map.of());
                Taker guest = guest(host, Map.of("jwarp.progress.wait", wait))) {
            int each = 150;
            connect(host, 2 * each);
            await(() -> host.connections() + guest.connections() == 2 * each, host);
            long before = 0;
            for (int turns = 0; before < each; turns++) {
                guest.transport.await(Patience.NANOS);
                long now = guest.count("tcp_accepted");
                assertThat(now - before).isLessThanOrEqualTo(64);
                assertThat(turns).isLessThan(50);
                before = now;
            }
            assertThat(before).isEqualTo(each);
        }
    }

    @Test
    @DisplayName("accept no further listener once the port is closed, even through another listener of it")
    void portClosed() {
        try (Taker host = host(Map.of());
                Taker guest = guest(host, Map.of());
                Taker late = guest(guest, Map.of());
                Taker other = host(Map.of())) {
            host.listener.close();
            assertThatThrownBy(() -> other.transport.listen(late.listener, BACKLOG, IDLE))
                    .isInstanceOf(LlpException.class)
                    .hasMessageContaining("closed")
                    .satisfies(e -> assertThat(((LlpException) e).failure()).isEqualTo(LlpFailure.REFUSED));
        }
    }
}
