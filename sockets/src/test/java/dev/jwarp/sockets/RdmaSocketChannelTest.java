package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.connection.CreditSetUp;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.sockets.connection.StreamSetUp;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.HeldPort;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An RDMA SocketChannel")
class RdmaSocketChannelTest {
    private Ends ends;

    @BeforeEach
    void open() throws IOException {
        ends = new Ends();
    }

    @AfterEach
    void close() {
        ends.close();
    }

    private static ByteBuffer bytes(int count) {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        for (int i = 0; i < count; i++) {
            bytes.put(i, (byte) (i * 31 + (i >> 8)));
        }
        return bytes;
    }

    private static ByteBuffer readAll(SocketChannel from, int most) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(most);
        while (all.hasRemaining() && from.read(all) >= 0) {}
        return all.flip();
    }

    @Test
    @DisplayName("that blocks carries megabytes in both directions at the same time, and then the end")
    void bothWays() throws Exception {
        int size = 5_000_000;
        SocketChannel near = ends.connect();
        SocketChannel far = ends.listener.accept();
        Future<Integer> there = ends.run(() -> near.write(bytes(size)));
        Future<Integer> back = ends.run(() -> far.write(bytes(size)));
        Future<ByteBuffer> cameBack = ends.run(() -> readAll(near, size));
        assertThat(readAll(far, size)).isEqualTo(bytes(size));
        assertThat(Patience.get(cameBack)).isEqualTo(bytes(size));
        assertThat(Patience.get(there)).isEqualTo(size);
        assertThat(Patience.get(back)).isEqualTo(size);
        near.close();
        assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        far.close();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("grants receive memory to its peer together with the answer of its program")
    void roomWithAnswer(StreamProtocol protocol) throws Exception {
        int size = 1 << 16; // half of what the peer may write
        int rounds = 20;
        try (Ends ends = new Ends(protocol);
                SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            Future<Integer> asked = ends.run(() -> {
                int sum = 0;
                for (int i = 0; i < rounds; i++) {
                    sum += near.write(bytes(size)) - readAll(near, size).remaining();
                }
                return sum;
            });
            ByteBuffer question = ByteBuffer.allocateDirect(size);
            long least = Long.MAX_VALUE;
            for (int i = 0; i < rounds; i++) {
                long before = Ends.counted(ends.far, "tcp_writes");
                question.clear();
                while (question.hasRemaining()) {
                    far.read(question);
                }
                far.write(question.flip());
                least = Math.min(least, Ends.counted(ends.far, "tcp_writes") - before);
            }
            assertThat(Patience.get(asked)).isZero();
            assertThat(least)
                    .as("writes to TCP in a round with the complete question and without a delay of this thread")
                    .isLessThan(2);
        }
    }

    @Test
    @DisplayName(
            "combines the pieces of a copy loop, and sends the last ones also if the program makes no further call")
    void pieces() throws Exception {
        int pieces = 12; // fits in the peer's memory
        int length = 8192;
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            ByteBuffer all = bytes(pieces * length);
            long alone = 2L * pieces; // an RDMA Write and its word for each
            long posted = alone;
            for (int round = 0; round < 1000 && posted >= alone; round++) { // this thread may be delayed
                long before = Ends.counted(ends.near, "sends_posted");
                for (int i = 0; i < pieces; i++) {
                    near.write(all.slice(i * length, length));
                }
                assertThat(readAll(far, pieces * length)).isEqualTo(all);
                posted = Ends.counted(ends.near, "sends_posted") - before;
            }
            assertThat(posted).as("work requests for %s pieces", pieces).isLessThan(alone);
        }
    }

    @Test
    @DisplayName("sends a piece of a loop at once after an empty write")
    void nothingBetweenPieces() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            long before = Ends.counted(ends.near, "sends_posted");
            near.write(bytes(8192));
            near.write(bytes(0));
            near.write(bytes(0));
            near.write(bytes(8192));
            assertThat(Ends.counted(ends.near, "sends_posted") - before).isEqualTo(4);
            assertThat(readAll(far, 2 * 8192).remaining()).isEqualTo(2 * 8192);
        }
    }

    @Test
    @DisplayName("continues in one direction when the other one is shut down")
    void halfClose() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            near.shutdownOutput();
            assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            assertThatThrownBy(() -> near.write(bytes(1))).isInstanceOf(ClosedChannelException.class);
            far.write(bytes(1000));
            assertThat(readAll(near, 1000)).isEqualTo(bytes(1000));
            near.shutdownInput();
            assertThat(near.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("that is closed ends the wait of a reading thread")
    void closedMeanwhile() throws Exception {
        SocketChannel near = ends.connect();
        try (SocketChannel far = ends.listener.accept()) {
            Ends.Waiting<Integer> read = ends.waits(() -> near.read(ByteBuffer.allocate(1)));
            near.close();
            assertThatThrownBy(() -> Patience.get(read.outcome())).isInstanceOf(AsynchronousCloseException.class);
            assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("is closed by the interrupt of a reading thread")
    void interrupted() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            Ends.Waiting<Integer> read = ends.waits(() -> near.read(ByteBuffer.allocate(1)));
            read.thread().interrupt();
            assertThatThrownBy(() -> Patience.get(read.outcome())).isInstanceOf(ClosedByInterruptException.class);
            assertThat(near.isOpen()).isFalse();
            assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("reports that no program listens at the address, and is closed")
    void refused() throws IOException {
        try (HeldPort silent = new HeldPort()) {
            SocketChannel near = ends.connecting.openSocketChannel();
            assertThatThrownBy(() -> near.connect(silent.address())).isInstanceOf(ConnectException.class);
            assertThat(near.isOpen()).isFalse();
        }
    }

    @Test
    @DisplayName("that is non-blocking accepts as many bytes as possible, and returns those that have arrived")
    void nonBlocking() throws Exception {
        try (SocketChannel near = ends.connect();
                SocketChannel far = ends.listener.accept()) {
            near.configureBlocking(false);
            far.configureBlocking(false);
            assertThat(near.read(ByteBuffer.allocate(1))).isZero();
            ByteBuffer much = bytes(10_000_000);
            await().until(() -> {
                int written = near.write(much);
                return written == 0;
            });
            assertThat(much.position()).isPositive().isLessThan(1_000_000);
            ByteBuffer came = ByteBuffer.allocate(much.capacity());
            while (came.hasRemaining()) {
                near.write(much);
                far.read(came);
            }
            assertThat(came.flip()).isEqualTo(much.flip());
        }
    }

    @Test
    @DisplayName("as a Socket has streams with a read time-out")
    void socket() throws Exception {
        try (Socket near = ends.connecting.openSocketChannel().socket()) {
            near.connect(ends.address(), (int) Patience.LIMIT.toMillis());
            try (Socket far = ends.listener.socket().accept()) {
                near.setSoTimeout(20);
                InputStream input = near.getInputStream();
                assertThatThrownBy(input::read).isInstanceOf(SocketTimeoutException.class);
                near.setSoTimeout(0);
                far.getOutputStream().write(new byte[] {1, 2, 3});
                assertThat(input.readNBytes(3)).containsExactly(1, 2, 3);
                far.shutdownOutput();
                assertThat(input.read()).isEqualTo(-1);
                assertThat(near.getPort()).isEqualTo(ends.listener.socket().getLocalPort());
                assertThat(far.getRemoteSocketAddress()).isEqualTo(near.getLocalSocketAddress());
            }
        }
    }

    @Test
    @DisplayName("as a Socket keeps the connect time-out for a silent peer, and reports it without the address")
    void answersLate() throws Exception {
        try (ServerSocketChannel silent = JdkProvider.get().openServerSocketChannel();
                Socket near = ends.connecting.openSocketChannel().socket()) {
            silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            assertThatThrownBy(() -> near.connect(silent.getLocalAddress(), 20))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage("Connect timed out: (address) was not connected within 20 ms");
            assertThat(near.isClosed()).isTrue();
        }
    }

    @Test
    @DisplayName("has its address from bind on: bind rejects a port in use")
    void takenAtBind() throws IOException {
        try (SocketChannel near = ends.connecting.openSocketChannel();
                SocketChannel other = ends.connecting.openSocketChannel()) {
            near.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            InetSocketAddress here = (InetSocketAddress) near.getLocalAddress();
            assertThat(here.getPort()).isPositive();
            assertThatThrownBy(() -> other.bind(here)).isInstanceOf(BindException.class);
            assertThat(other.getLocalAddress()).isNull();
        }
    }

    @Test
    @DisplayName("connects from the address that it has from bind on")
    void boundAtBind() throws IOException {
        InetAddress alone = InetAddress.getByName("127.0.0.77"); // no other test binds this address
        try (SocketChannel near = ends.connecting.openSocketChannel()) {
            near.bind(new InetSocketAddress(alone, 0));
            InetSocketAddress here = (InetSocketAddress) near.getLocalAddress();
            near.connect(ends.listener.getLocalAddress());
            assertThat(near.getLocalAddress()).isEqualTo(here);
            try (SocketChannel far = ends.listener.accept()) {
                assertThat(far.getRemoteAddress()).isEqualTo(here);
            }
        }
    }

    @Test
    @DisplayName("keeps the contract of a channel that is not connected")
    void unconnected() throws IOException {
        try (SocketChannel near = ends.connecting.openSocketChannel()) {
            assertThat(near.isConnected()).isFalse();
            assertThat(near.getRemoteAddress()).isNull();
            assertThat(near.getLocalAddress()).isNull();
            assertThatThrownBy(() -> near.read(ByteBuffer.allocate(1))).isInstanceOf(NotYetConnectedException.class);
            assertThatThrownBy(() -> near.write(ByteBuffer.allocate(1))).isInstanceOf(NotYetConnectedException.class);
            near.setOption(StandardSocketOptions.SO_RCVBUF, 100_001);
            assertThat(near.getOption(StandardSocketOptions.SO_RCVBUF)).isEqualTo(100_001);
            assertThatThrownBy(() -> near.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5})
    @DisplayName("that is closed sends all written bytes, although the program makes no further call, with SO_LINGER")
    void closedWithData(int linger) throws Exception {
        SocketChannel near = ends.connect();
        try (SocketChannel far = ends.listener.accept()) {
            near.configureBlocking(false);
            near.setOption(StandardSocketOptions.SO_LINGER, linger);
            ByteBuffer some = bytes(100_000);
            near.write(some);
            int written = some.position();
            near.close();
            assertThat(readAll(far, 1_000_000)).isEqualTo(bytes(100_000).limit(written));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("whose input is shut down discards further data:")
    void takesForNothing(StreamProtocol protocol) throws Exception {
        int size = 3_000_000;
        try (Ends own = new Ends(protocol);
                SocketChannel near = own.connect();
                SocketChannel far = own.listener.accept()) {
            near.write(bytes(10));
            far.shutdownInput();
            Future<Integer> there = own.run(() -> near.write(bytes(size)));
            assertThat(there.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(size);
            assertThat(far.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            far.write(bytes(1000));
            assertThat(readAll(near, 1000)).isEqualTo(bytes(1000));
        }
    }

    @Test
    @DisplayName("that arrives while the accepting thread is interrupted is closed with the listener")
    void interruptedAccept() throws Exception {
        for (int i = 0; i < 300; i++) {
            ServerSocketChannel listener = ends.listening.openServerSocketChannel();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            AtomicReference<Thread> accepting = new AtomicReference<>();
            Future<?> accept = ends.run(() -> {
                accepting.set(Thread.currentThread());
                try (SocketChannel came = listener.accept()) {
                    return came.isConnected();
                } catch (ClosedByInterruptException e) {
                    return false;
                }
            });
            await().until(() -> accepting.get() != null);
            try (SocketChannel near = ends.connecting.openSocketChannel()) {
                near.connect(listener.getLocalAddress());
                accepting.get().interrupt();
                Patience.get(accept);
                listener.close();
                Future<Integer> read = ends.run(() -> {
                    try {
                        return near.read(ByteBuffer.allocate(1));
                    } catch (IOException e) {
                        return -1;
                    }
                });
                assertThat(read.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .as("the end, in round " + i)
                        .isEqualTo(-1);
            }
        }
    }

    @Test
    @DisplayName("that was aborted has nothing more to send: a thread that waits for this is notified")
    void aborted() throws Exception {
        try (Ends own = new Ends(StreamProtocol.CREDITS)) {
            StreamConnection connection = StreamConnection.connect(
                    own.near,
                    new Readiness(own.near, new Object()),
                    null,
                    (InetSocketAddress) own.address(),
                    StreamSetUp.DEFAULT.withProtocol(StreamProtocol.CREDITS, CreditSetUp.DEFAULT));
            own.listener.accept();
            await().until(connection::established);
            connection.take();
            // The peer does not read: what is written waits, and the end behind it.
            ByteBuffer data = bytes(100_000);
            await().during(java.time.Duration.ofMillis(50)).until(() -> {
                connection.output().write(data.clear(), false);
                return data.position() == 0;
            });
            connection.close();
            AtomicInteger told = new AtomicInteger();
            connection.output().whenSent(told::incrementAndGet);
            assertThat(connection.output().sent()).isFalse();
            connection.abort(); // as the caretaker does after StreamConnection.CLOSING
            assertThat(connection.output().sent()).isTrue();
            assertThat(told).hasPositiveValue();
        }
    }
}
