package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jwarp.sockets.connection.SocketSetting;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

@DisplayName("A channel whose stream uses TCP")
class RoutedSocketChannelTest {
    private Ends ends;
    private ServerSocketChannel tcp;

    @BeforeEach
    void open() throws IOException {
        ends = new Ends();
        tcp = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void close() throws IOException {
        tcp.close();
        ends.close();
    }

    /** A TCP server that, like an HTTP server, closes connections with another protocol, and echoes the others. */
    private Future<?> echo(int hangUps) {
        return ends.run(() -> {
            for (int i = 0; i < hangUps; i++) {
                tcp.accept().close();
            }
            try (SocketChannel peer = tcp.accept()) {
                ByteBuffer buffer = ByteBuffer.allocate(1000);
                while (peer.read(buffer.clear()) >= 0) {
                    peer.write(buffer.flip());
                }
            }
            return null;
        });
    }

    @ParameterizedTest
    @EnumSource(
            value = SocketMode.class,
            names = {"TCP", "RDMA_OR_TCP"})
    @DisplayName("communicates with a peer that has only TCP, mode")
    void blocking(SocketMode mode) throws Exception {
        Future<?> echo = echo(mode == SocketMode.TCP ? 0 : 1);
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.MODE, mode);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            assertThat(channel.connect(tcp.getLocalAddress())).isTrue();
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            ByteBuffer back = ByteBuffer.allocate(3);
            while (back.hasRemaining()) {
                channel.read(back);
            }
            assertThat(back.array()).containsExactly(1, 2, 3);
            assertThat(channel.getRemoteAddress()).isEqualTo(tcp.getLocalAddress());
            channel.shutdownOutput();
            assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
        Patience.get(echo);
    }

    /** A server that waits for bytes of its client, and then sends their number. */
    private Future<?> patient(int connections) {
        return ends.run(() -> {
            List<SocketChannel> open = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                SocketChannel peer = tcp.accept();
                open.add(peer);
                ByteBuffer came = ByteBuffer.allocate(1000);
                if (i != 0) { // the first connection has MPA's Request, which this server does not know
                    peer.read(came);
                    peer.write(ByteBuffer.wrap(new byte[] {(byte) came.position()}));
                }
            }
            for (SocketChannel peer : open) {
                peer.close();
            }
            return null;
        });
    }

    @Test
    @DisplayName("tries TCP soon, and remembers that the peer uses TCP after bytes of the peer")
    void remembered() throws Exception {
        Future<?> server = patient(3);
        for (int i = 0; i < 2; i++) {
            try (SocketChannel channel = ends.connecting.openSocketChannel()) {
                channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA_OR_TCP);
                channel.connect(tcp.getLocalAddress());
                channel.write(ByteBuffer.allocate(7));
                ByteBuffer back = ByteBuffer.allocate(1);
                assertThat(channel.read(back)).isOne();
                assertThat(back.get(0)).as("nothing else was sent").isEqualTo((byte) 7);
            }
        }
        Patience.get(server);
    }

    @Test
    @DisplayName("tries TCP after the answer time-out of the setting")
    void answerTimeOut() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger(RoutedSocketChannel.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        logger.setLevel(Level.INFO);
        System.setProperty("jwarp.sockets.answer-timeout", "777");
        Future<?> server = patient(2);
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA_OR_TCP);
            channel.connect(tcp.getLocalAddress());
            channel.write(ByteBuffer.allocate(7));
            assertThat(channel.read(ByteBuffer.allocate(1))).isOne();
        } finally {
            System.clearProperty("jwarp.sockets.answer-timeout");
            logger.setLevel(null);
            logger.detachAppender(lines);
        }
        Patience.get(server);
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.contains("within 777 ms"));
    }

    @Test
    @DisplayName("tries TCP within the time-out of the program, also if it is shorter than the answer time-out")
    void withinTimeOut() throws Exception {
        int shorter = Integer.parseInt(SocketSetting.ANSWER_TIMEOUT.value()) / 2;
        Future<?> server = patient(2);
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA_OR_TCP);
            channel.socket().connect(tcp.getLocalAddress(), shorter);
            channel.write(ByteBuffer.allocate(7));
            assertThat(channel.read(ByteBuffer.allocate(1))).isOne();
        }
        Patience.get(server);
    }

    @ParameterizedTest
    @EnumSource(
            value = SocketMode.class,
            names = {"TCP", "RDMA_OR_TCP"})
    @DisplayName("can be selected, registered before it is connected, mode")
    void selected(SocketMode mode) throws Exception {
        Future<?> echo = echo(mode == SocketMode.TCP ? 0 : 1);
        try (SocketChannel channel = ends.connecting.openSocketChannel();
                Selector selector = ends.connecting.openSelector()) {
            channel.setOption(JwarpSocketOptions.MODE, mode);
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            boolean connected = channel.connect(tcp.getLocalAddress());
            while (!connected) {
                selector.select();
                selector.selectedKeys().clear();
                connected = channel.finishConnect();
            }
            key.interestOps(SelectionKey.OP_READ);
            assertThat(selector.selectNow()).isZero();
            channel.write(ByteBuffer.allocate(10));
            assertThat(selector.select()).isEqualTo(1);
            assertThat(key.isReadable()).isTrue();
            assertThat(channel.read(ByteBuffer.allocate(20))).isPositive();
            key.cancel();
            channel.configureBlocking(true);
            Future<Integer> read = ends.run(() -> channel.read(ByteBuffer.allocate(1)));
            channel.close();
            assertThatThrownBy(() -> Patience.get(read)).isInstanceOf(ClosedChannelException.class);
        }
        Patience.get(echo);
    }

    @Test
    @DisplayName("does not try TCP unless the mode allows it")
    void rdmaOnly() throws Exception {
        Future<?> echo = echo(1);
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            assertThatThrownBy(() -> channel.connect(tcp.getLocalAddress())).isInstanceOf(ConnectException.class);
            assertThat(channel.isOpen()).isFalse();
        }
        tcp.close();
        assertThatThrownBy(() -> Patience.get(echo)).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    @DisplayName("reports that neither RDMA nor TCP works")
    void neither() throws Exception {
        try (HeldPort silent = new HeldPort()) {
            SocketChannel channel = ends.connecting.openSocketChannel();
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA_OR_TCP);
            assertThatThrownBy(() -> channel.connect(silent.address())).isInstanceOf(ConnectException.class);
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    @DisplayName("reads with a time-out into the program's own array, at the given offset")
    void timedInPlace() throws Exception {
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.TCP);
            channel.connect(tcp.getLocalAddress());
            byte[] array = new byte[6];
            try (SocketChannel peer = tcp.accept()) {
                channel.socket().setSoTimeout(20_000);
                peer.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                channel.socket().getInputStream().readNBytes(array, 2, 3);
                assertThat(array).containsExactly(0, 0, 1, 2, 3, 0);
                peer.write(ByteBuffer.wrap(new byte[] {4}));
                ByteBuffer part = ByteBuffer.wrap(array, 1, 4).slice().position(2);
                assertThat(((TimedSocketChannel) channel).read(part, Duration.ofSeconds(20)))
                        .isEqualTo(1);
                assertThat(part.position()).isEqualTo(3);
                assertThat(array).containsExactly(0, 0, 1, 4, 3, 0);
            }
            ByteBuffer end = ByteBuffer.wrap(array, 1, 4);
            assertThat(((TimedSocketChannel) channel).read(end, Duration.ofSeconds(20)))
                    .isEqualTo(-1);
            assertThat(end.position()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("is a Socket with time-outs, at both ends")
    void socket() throws Exception {
        try (ServerSocketChannel listener = ends.listening.openServerSocketChannel()) {
            listener.setOption(JwarpSocketOptions.MODE, SocketMode.TCP);
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.socket().setSoTimeout(10);
            assertThatThrownBy(() -> listener.socket().accept()).isInstanceOf(SocketTimeoutException.class);
            listener.socket().setSoTimeout(0);
            try (Socket near = new Socket(
                            InetAddress.getLoopbackAddress(), listener.socket().getLocalPort());
                    Socket far = listener.socket().accept();
                    SocketChannel other = ends.connecting.openSocketChannel()) {
                near.getOutputStream().write(7);
                assertThat(far.getInputStream().read()).isEqualTo(7);
                other.setOption(JwarpSocketOptions.MODE, SocketMode.TCP);
                other.socket().connect(listener.getLocalAddress(), (int) Patience.LIMIT.toMillis());
                other.socket().setSoTimeout(10);
                assertThatThrownBy(() -> other.socket().getInputStream().read())
                        .isInstanceOf(SocketTimeoutException.class);
                other.socket().setSoTimeout(0);
                try (Socket third = listener.socket().accept()) {
                    third.getOutputStream().write(8);
                    assertThat(other.socket().getInputStream().read()).isEqualTo(8);
                }
            }
        }
    }
}
