package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A socket channel with credits")
class CreditSocketChannelTest {
    private Ends ends;

    @BeforeEach
    void begin() throws IOException {
        ends = new Ends(StreamProtocol.CREDITS);
    }

    @AfterEach
    void end() {
        ends.close();
    }

    @Test
    @DisplayName("exchanges a question and an answer, and each end sees the end of the other")
    void echo() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            assertThat(far.getOption(JwarpSocketOptions.PROTOCOL)).isEqualTo(StreamProtocol.CREDITS);
            ByteBuffer into = ByteBuffer.allocate(10);
            for (int i = 0; i < 1000; i++) {
                near.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
                assertThat(far.read(into.clear())).isEqualTo(3);
                far.write(into.flip());
                assertThat(near.read(into.clear())).isEqualTo(3);
            }
            far.close();
            assertThat(near.read(into.clear())).isEqualTo(-1);
            assertThatThrownBy(() -> near.write(into.flip().limit(1)))
                    .hasMessage("Broken pipe: the peer has closed the connection");
        }
    }

    @ParameterizedTest
    @CsvSource({"4, 4096", "4, 65536", "32, 131072", "256, 4096", "256, 1048576"})
    @DisplayName(
            "carries many bytes in both directions at the same time, with few credits and many (credits, receive buffer):")
    void bothWays(int credits, int receiveBytes) throws Exception {
        try (ServerSocketChannel listener = ends.listening.openServerSocketChannel();
                SocketChannel near = ends.connecting.openSocketChannel()) {
            listener.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS)
                    .setOption(JwarpSocketOptions.CREDITS, credits)
                    .setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes)
                    .bind(null);
            near.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS).connect(listener.getLocalAddress());
            try (SocketChannel far = listener.accept()) {
                Future<?> write = ends.run(() -> near.write(Ends.pattern()));
                Future<?> back = ends.run(() -> far.write(Ends.pattern()));
                Future<ByteBuffer> there = ends.run(() -> Ends.readAll(far));
                Future<ByteBuffer> here = ends.run(() -> Ends.readAll(near));
                Patience.get(write);
                near.shutdownOutput();
                Patience.get(back);
                far.shutdownOutput();
                assertThat(Patience.get(there)).isEqualTo(Ends.pattern());
                assertThat(Patience.get(here)).isEqualTo(Ends.pattern());
            }
        }
    }

    @Test
    @DisplayName("releases buffers that are not used again while another thread moves its bytes")
    void manyBuffers() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept();
                SocketChannel waiting = ends.connect();
                SocketChannel silent = ends.listener.accept()) {
            Future<?> driving = ends.run(() -> waiting.read(ByteBuffer.allocate(1)));
            int times = 400;
            int length = 1 << 16;
            Future<Integer> reading = ends.run(() -> {
                ByteBuffer bytes = ByteBuffer.allocateDirect(2048); // the peer gets messages all the time
                int sum = 0;
                while (sum < 2 * times * length) {
                    sum += far.read(bytes.clear());
                }
                return sum;
            });
            Future<?> writing = ends.run(() -> {
                for (int i = 0; i < times; i++) {
                    ByteBuffer bytes = ByteBuffer.allocateDirect(length);
                    near.write(bytes);
                    near.write(bytes.clear());
                }
                return null;
            });
            Patience.get(writing);
            assertThat(Patience.get(reading)).isEqualTo(2 * times * length);
            silent.write(ByteBuffer.allocate(1));
            Patience.get(driving);
        }
    }

    @Test
    @DisplayName("can write first at both ends")
    void bothFirst() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            byte[] hello = "hello".getBytes(StandardCharsets.US_ASCII);
            far.write(ByteBuffer.wrap(hello));
            near.write(ByteBuffer.wrap(hello));
            for (SocketChannel one : new SocketChannel[] {near, far}) {
                ByteBuffer into = ByteBuffer.allocate(5);
                while (into.hasRemaining()) {
                    one.read(into);
                }
                assertThat(into.array()).isEqualTo(hello);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "sends waiting bytes after a while, also if the program makes no further call (option set before it is connected):")
    void combining(boolean before) throws Exception {
        try (SocketChannel near = ends.connecting.openSocketChannel()) {
            near.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS);
            if (before) {
                near.setOption(StandardSocketOptions.TCP_NODELAY, false);
            }
            near.connect(ends.address());
            near.setOption(StandardSocketOptions.TCP_NODELAY, false);
            try (SocketChannel far = ends.listener.accept()) {
                for (int i = 0; i < 20; i++) {
                    near.write(ByteBuffer.wrap(new byte[] {1}));
                    near.write(ByteBuffer.wrap(new byte[] {2, 3}));
                    ByteBuffer into = ByteBuffer.allocate(3);
                    while (into.hasRemaining()) {
                        far.read(into);
                    }
                    assertThat(into.array()).containsExactly(1, 2, 3);
                }
            }
        }
    }

    @Test
    @DisplayName("that is closed sends all written bytes to the peer, although the program makes no further call")
    void close() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            Future<ByteBuffer> there = writeAndClose(near, far);
            assertThat(Patience.get(there)).isEqualTo(Ends.pattern());
        }
        long begun = System.nanoTime();
        ends.awaitNoMemory();
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .as("both ends have acknowledged the end, and neither waits for a time-out")
                .isLessThan(StreamConnection.CLOSING);
    }

    private Future<ByteBuffer> writeAndClose(SocketChannel near, SocketChannel far) throws IOException {
        Future<ByteBuffer> there = ends.run(() -> Ends.readAll(far));
        near.write(Ends.pattern());
        near.close();
        return there;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("is rejected with a reason by a listener with another protocol, which logs it:")
    void otherProtocol(StreamProtocol listeners) throws Exception {
        StreamProtocol own = listeners == StreamProtocol.CREDITS ? StreamProtocol.RSOCKETS : StreamProtocol.CREDITS;
        try (Ends others = new Ends(listeners);
                SocketChannel channel = others.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.PROTOCOL, own);
            assertThatThrownBy(() -> channel.connect(others.address()))
                    .isInstanceOf(ConnectException.class)
                    .hasMessage(
                            "Connection refused: the peer rejects this connection: it speaks %s, but this end speaks %s: set the same PROTOCOL at both ends"
                                    .formatted(
                                            listeners.name().toLowerCase(Locale.ROOT),
                                            own.name().toLowerCase(Locale.ROOT)));
            try (SocketChannel next = others.connect()) {
                assertThat(next.isConnected()).isTrue();
            }
        }
    }

    @Test
    @DisplayName("refuses to share memory, with a reason")
    void shares() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            assertThatThrownBy(() -> JwarpSockets.share(near, ByteBuffer.allocateDirect(10), 0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("only a stream with rsockets can share memory");
            assertThatThrownBy(() -> JwarpSockets.write(far, 0, ByteBuffer.allocateDirect(10)))
                    .hasMessageContaining("only a stream with rsockets can share memory");
        }
    }

    @ParameterizedTest
    @CsvSource({"3", "257"})
    @DisplayName("has 4 to 256 credits, and not")
    void credits(int credits) throws Exception {
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            assertThatThrownBy(() -> channel.setOption(JwarpSocketOptions.CREDITS, credits))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("jwarp.CREDITS is 4 to 256, not " + credits);
        }
    }
}
