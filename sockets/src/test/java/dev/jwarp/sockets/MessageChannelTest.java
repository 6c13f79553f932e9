package dev.jwarp.sockets;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sockets.stream.PeerFault;
import dev.jwarp.sockets.stream.StreamException;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A socket channel whose writes are messages")
class MessageChannelTest {
    private static final int MUCH = 1 << 20;

    private Ends ends;
    private SocketChannel near;
    private SocketChannel far;

    private void begin(int zeroCopyBytes, int bothWriteBytes) throws IOException {
        ends = new Ends(Map.of(
                JwarpSocketOptions.PROTOCOL,
                StreamProtocol.CREDITS,
                JwarpSocketOptions.MESSAGES,
                true,
                JwarpSocketOptions.ZERO_COPY_BYTES,
                zeroCopyBytes,
                JwarpSocketOptions.BOTH_WRITE_BYTES,
                bothWriteBytes));
        near = ends.connect();
        far = ends.listener.accept();
    }

    @AfterEach
    void end() throws IOException {
        near.close();
        far.close();
        try (Ends last = ends) {
            last.awaitNoMemory();
        }
    }

    private static ByteBuffer text(String words) {
        return ByteBuffer.wrap(words.getBytes(US_ASCII));
    }

    private static String read(SocketChannel from, int most) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(most);
        int count = from.read(into);
        return count < 0 ? "end" : new String(into.array(), 0, count, US_ASCII);
    }

    private static ByteBuffer pattern(int length) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(length);
        for (int i = 0; i < length; i++) {
            bytes.put(i, (byte) (i * 31 + (i >> 8)));
        }
        return bytes;
    }

    @Test
    @DisplayName("returns one message per read, however many have arrived")
    void boundaries() throws IOException {
        begin(0, -1);
        near.write(text("one"));
        near.write(text("and two"));
        near.write(new ByteBuffer[] {text("a "), text("gathered "), text("one")});

        assertThat(JwarpSockets.messageEnded(far)).isTrue();
        assertThat(read(far, 100)).isEqualTo("one");
        assertThat(JwarpSockets.messageEnded(far)).isTrue();
        assertThat(read(far, 100)).isEqualTo("and two");
        assertThat(read(far, 100)).isEqualTo("a gathered one");
    }

    @Test
    @DisplayName("returns the rest of a message to the next read, and reports it")
    void smallReads() throws IOException {
        begin(0, -1);
        near.write(text("one message"));
        near.write(text("another"));

        assertThat(read(far, 3)).isEqualTo("one");
        assertThat(JwarpSockets.messageEnded(far)).isFalse();
        assertThat(read(far, 8)).isEqualTo(" message");
        assertThat(JwarpSockets.messageEnded(far)).isTrue();
        ByteBuffer[] scattered = {ByteBuffer.allocate(4), ByteBuffer.allocate(100)};
        assertThat(far.read(scattered)).isEqualTo(7);
        assertThat(scattered[1].position()).isEqualTo(3);
        near.write(new ByteBuffer[] {text("1"), text("2")});
        near.write(text("3"));
        ByteBuffer[] both = {ByteBuffer.allocate(2), ByteBuffer.allocate(2)};
        assertThat(far.read(both)).as("no byte of the next message").isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 20_000})
    @DisplayName(
            "reads whole messages of all lengths, if it blocks and the buffer is large enough (minimum of zero-copy bytes):")
    void wholeMessages(int zeroCopyBytes) throws Exception {
        begin(zeroCopyBytes, -1);
        SplittableRandom random = new SplittableRandom(7);
        int[] lengths = random.ints(60, 1, 300_000).toArray();
        Future<?> writer = ends.run(() -> {
            for (int length : lengths) {
                ByteBuffer message = pattern(length);
                if (length % 3 == 0) {
                    ByteBuffer head = message.duplicate().limit(length / 2);
                    near.write(
                            new ByteBuffer[] {head, message.position(length / 2).slice()});
                } else {
                    assertThat(near.write(message)).isEqualTo(length);
                }
            }
            return null;
        });
        ByteBuffer into = ByteBuffer.allocateDirect(400_000);
        for (int length : lengths) {
            assertThat(far.read(into.clear())).isEqualTo(length);
            assertThat(JwarpSockets.messageEnded(far)).isTrue();
            assertThat(into.flip()).isEqualTo(pattern(length));
        }
        Patience.get(writer);
    }

    @Test
    @DisplayName("continues a partly accepted message, if it is non-blocking")
    void nonBlocking() throws Exception {
        begin(0, -1);
        near.configureBlocking(false);
        ByteBuffer message = pattern(MUCH);
        Future<Integer> reader = ends.run(() -> {
            ByteBuffer into = ByteBuffer.allocate(MUCH + 100);
            int count = far.read(into);
            assertThat(into.flip()).isEqualTo(pattern(MUCH));
            return count;
        });
        try (Selector selector = ends.connecting.openSelector()) {
            near.register(selector, SelectionKey.OP_WRITE);
            while (message.hasRemaining()) {
                selector.select();
                near.write(message);
                selector.selectedKeys().clear();
            }
            assertThat(Patience.get(reader)).isEqualTo(MUCH);
        }
    }

    @Test
    @DisplayName("returns the received part of a message, if it is non-blocking")
    void nonBlockingReads() throws Exception {
        begin(0, -1);
        far.configureBlocking(false);
        Future<Integer> writer = ends.run(() -> near.write(pattern(MUCH)));
        ByteBuffer all = ByteBuffer.allocate(MUCH);
        try (Selector selector = ends.listening.openSelector()) {
            far.register(selector, SelectionKey.OP_READ);
            while (all.hasRemaining()) {
                selector.select();
                far.read(all);
                assertThat(JwarpSockets.messageEnded(far)).isEqualTo(!all.hasRemaining());
                selector.selectedKeys().clear();
            }
        }
        assertThat(Patience.get(writer)).isEqualTo(MUCH);
        assertThat(all.flip()).isEqualTo(pattern(MUCH));
    }

    @Test
    @DisplayName("ends after its last message; in the middle of a message with an exception after the received bytes")
    void cut() throws Exception {
        begin(0, -1);
        near.configureBlocking(false);
        ByteBuffer message = pattern(MUCH);
        while (near.write(message) > 0) {}
        assertThat(message.hasRemaining()).isTrue();
        near.shutdownOutput();

        ByteBuffer into = ByteBuffer.allocate(MUCH);
        assertThatThrownBy(() -> {
                    while (far.read(into) >= 0) {}
                })
                .isInstanceOfSatisfying(
                        StreamException.class, e -> assertThat(e.fault()).isEqualTo(PeerFault.MESSAGE_CUT));
        assertThat(into.position()).isEqualTo(message.position());
    }

    private int cutMessage() throws IOException {
        begin(0, -1);
        near.configureBlocking(false);
        ByteBuffer message = pattern(MUCH);
        while (near.write(message) > 0) {}
        near.shutdownOutput();
        return message.position();
    }

    @Test
    @DisplayName("returns all received bytes of an incomplete message before the exception, also to scattering reads")
    void cutBehind() throws Exception {
        int came = cutMessage();
        ByteBuffer[] into = {ByteBuffer.allocate(10), ByteBuffer.allocate(MUCH)};
        assertThat(far.read(into)).isEqualTo(came);
        assertThatThrownBy(() -> far.read(into)).isInstanceOf(StreamException.class);
    }

    @Test
    @DisplayName("returns all received bytes of an incomplete message to its Socket before the exception")
    void cutBehindSocket() throws Exception {
        int came = cutMessage();
        InputStream in = far.socket().getInputStream();
        assertThat(in.read(new byte[MUCH])).isEqualTo(came);
        assertThatThrownBy(in::read).isInstanceOf(IOException.class).hasMessageContaining("in the middle of a message");
    }

    @Test
    @DisplayName("reports that TCP has no messages")
    void notAsked() throws Exception {
        begin(0, -1);
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                SocketChannel channel = ends.connecting.openSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.setOption(JwarpSocketOptions.MODE, SocketMode.TCP);
            channel.connect(listener.getLocalAddress());
            assertThatThrownBy(() -> JwarpSockets.messageEnded(channel))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("no messages");
        }
    }

    @Test
    @DisplayName("is rejected by a peer without messages, and rejects it")
    void refused() throws Exception {
        begin(0, -1);
        SocketChannel bytes = ends.connecting.openSocketChannel();
        bytes.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS);
        assertThatThrownBy(() -> bytes.connect(ends.address()))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("the option MESSAGES must be the same at both ends");
        try (Ends plain = new Ends(StreamProtocol.CREDITS)) {
            SocketChannel messages = plain.connecting.openSocketChannel();
            messages.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS)
                    .setOption(JwarpSocketOptions.MESSAGES, true);
            assertThatThrownBy(() -> messages.connect(plain.address()))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("the option MESSAGES must be the same at both ends");
        }
    }

    @ParameterizedTest
    @CsvSource({"RDMA, RSOCKETS", "TCP, CREDITS", "RDMA_OR_TCP, CREDITS"})
    @DisplayName("is not possible without messages in (mode, protocol):")
    void notHad(SocketMode mode, StreamProtocol protocol) throws Exception {
        begin(0, -1);
        try (SocketChannel channel = ends.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.MESSAGES, true)
                    .setOption(JwarpSocketOptions.MODE, mode)
                    .setOption(JwarpSocketOptions.PROTOCOL, protocol);
            assertThatThrownBy(() -> channel.connect(ends.address()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("the option MESSAGES needs MODE RDMA and PROTOCOL CREDITS; here MODE is " + mode
                            + ", PROTOCOL " + protocol);
        }
    }

    // ---- both ends write, and neither reads

    private List<Future<Integer>> bothWrite() throws Exception {
        return List.of(ends.run(() -> near.write(pattern(MUCH))), ends.run(() -> far.write(pattern(MUCH))));
    }

    @Test
    @DisplayName("waits if both ends write large zero-copy data and neither reads, until one reads")
    void bothWait() throws Exception {
        begin(1, -1);
        List<Future<Integer>> writers = bothWrite();
        assertThatThrownBy(() -> writers.get(0).get(1200, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        readAll(near);
        assertThat(Patience.get(writers.get(1))).isEqualTo(MUCH);
        readAll(far);
        assertThat(Patience.get(writers.get(0))).isEqualTo(MUCH);
    }

    @Test
    @DisplayName("gets an exception instead, if the option is 0, and the connection ends")
    void told() throws Exception {
        begin(1, 0);
        List<Future<Integer>> writers = bothWrite();
        assertThatThrownBy(() -> {
                    for (Future<Integer> writer : writers) {
                        Patience.get(writer);
                    }
                })
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> {
                    for (Future<Integer> writer : writers.subList(1, 2)) {
                        Patience.get(writer);
                    }
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("does not wait forever in later or concurrent calls after that exception")
    void toldAndOver() throws Exception {
        begin(1, 0);
        for (Future<Integer> writer : bothWrite()) {
            assertThatThrownBy(() -> Patience.get(writer)).isInstanceOf(IOException.class);
        }
        for (SocketChannel channel : List.of(near, far)) {
            assertThatThrownBy(() -> Patience.get(ends.run(() -> readAllThereIs(channel))))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> Patience.get(ends.run(() -> channel.write(pattern(MUCH)))))
                    .isInstanceOf(IOException.class);
            channel.shutdownOutput();
            channel.shutdownInput();
        }
    }

    private static int readAllThereIs(SocketChannel from) throws IOException {
        while (from.read(ByteBuffer.allocate(MUCH)) >= 0) {}
        return -1;
    }

    @Test
    @DisplayName("buffers data of its peer also after a small copied message")
    void keptBehind() throws Exception {
        begin(1000, 3 * MUCH);
        near.write(text("small"));
        far.write(text("small"));
        for (Future<Integer> writer : bothWrite()) {
            assertThat(Patience.get(writer)).isEqualTo(MUCH);
        }
        for (SocketChannel channel : List.of(near, far)) {
            assertThat(read(channel, 100)).isEqualTo("small");
            readAll(channel);
        }
    }

    @Test
    @DisplayName("buffers data of its peer within the limit, so that neither waits")
    void kept() throws Exception {
        begin(1, 3 * MUCH);
        for (int i = 0; i < 3; i++) {
            for (Future<Integer> writer : bothWrite()) {
                assertThat(Patience.get(writer)).isEqualTo(MUCH);
            }
        }
        for (int i = 0; i < 3; i++) {
            readAll(near);
            readAll(far);
        }
    }

    @Test
    @DisplayName("gets an exception for more data than it may buffer")
    void tooMuch() throws Exception {
        begin(1, MUCH / 2);
        List<Future<Integer>> writers = bothWrite();
        assertThatThrownBy(() -> {
                    for (Future<Integer> writer : writers) {
                        Patience.get(writer);
                    }
                })
                .isInstanceOf(IOException.class);
    }

    private void readAll(SocketChannel from) throws IOException {
        ByteBuffer into = ByteBuffer.allocateDirect(MUCH);
        assertThat(from.read(into)).isEqualTo(MUCH);
        assertThat(into.flip()).isEqualTo(pattern(MUCH));
    }
}
