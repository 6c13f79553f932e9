package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.datagram.DatagramEnd;
import dev.jwarp.vectors.Patience;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("An RDMA DatagramChannel")
@SuppressWarnings("AddressSelection") // numbers, not names
class RdmaDatagramChannelTest {
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final int LONGEST = 65_507;
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private Ends ends;
    private DatagramChannel near;
    private DatagramChannel far;

    @BeforeEach
    void open() throws IOException {
        ends = new Ends();
        near = ends.connecting.openDatagramChannel();
        far = ends.listening.openDatagramChannel().bind(ANY);
    }

    @AfterEach
    void close() {
        ends.close();
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String next(DatagramChannel channel) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(100);
        assertThat(channel.receive(into)).isNotNull();
        return read(into);
    }

    private static String read(ByteBuffer into) {
        return StandardCharsets.US_ASCII.decode(into.flip()).toString();
    }

    @Test
    @DisplayName("sends to any address, and returns the sender of a received datagram")
    void unconnected() throws Exception {
        near.bind(ANY);
        assertThat(near.send(text("question"), far.getLocalAddress())).isEqualTo(8);
        ByteBuffer into = ByteBuffer.allocate(100);
        SocketAddress asker = far.receive(into);
        assertThat(asker).isEqualTo(near.getLocalAddress());
        assertThat(read(into)).isEqualTo("question");

        far.send(text("answer"), asker);

        assertThat(next(near)).isEqualTo("answer");
        assertThat(Objects.requireNonNull(ends.near.datagrams()).context().counters())
                .filteredOn(counter -> counter.name().endsWith("rx_plain"))
                .allMatch(counter -> counter.value() == 0);
    }

    @Test
    @DisplayName("learns from the system that a port is taken, before a queue pair is made")
    void taken() throws IOException {
        assertThatThrownBy(() -> near.bind(far.getLocalAddress()))
                .isInstanceOf(BindException.class)
                .hasMessageNotContaining(":"); // the message for a queue pair would be longer
        assertThat(near.getLocalAddress()).isNull();
        assertThat(near.bind(ANY).getLocalAddress()).isNotNull();
    }

    @Test
    @DisplayName("is bound when it first sends, to an address of any kind")
    void bindsItself() throws Exception {
        assertThat(near.getLocalAddress()).isNull();
        near.send(text("one"), far.getLocalAddress());
        InetSocketAddress bound = (InetSocketAddress) near.getLocalAddress();
        assertThat(bound.getAddress().isAnyLocalAddress()).isTrue();
        assertThat(bound.getPort()).isPositive();
        InetSocketAddress source = (InetSocketAddress) far.receive(ByteBuffer.allocate(10));
        assertThat(source).isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), bound.getPort()));
        far.send(text("two"), source);
        assertThat(next(near)).isEqualTo("two");
        assertThatThrownBy(() -> near.bind(ANY)).isInstanceOf(AlreadyBoundException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1_400, 1_473, 2_048, 2_049, 9_000, LONGEST})
    @DisplayName("carries complete datagrams of any length of UDP")
    void lengths(int length) throws Exception {
        ByteBuffer datagram = ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            datagram.put(i, (byte) (i * 7));
        }
        near.connect(far.getLocalAddress());
        assertThat(near.write(datagram)).isEqualTo(length);
        ByteBuffer into = ByteBuffer.allocateDirect(LONGEST + 1);
        assertThat(far.receive(into)).isEqualTo(near.getLocalAddress());
        assertThat(into.flip()).isEqualTo(datagram.flip());
    }

    @Test
    @DisplayName("carries 20 more bytes over IPv6, like UDP")
    void longestOverIpv6() throws Exception {
        InetSocketAddress any6 = new InetSocketAddress("::1", 0);
        assumeThat(NetworkInterface.getByInetAddress(any6.getAddress()))
                .as("there is IPv6")
                .isNotNull();
        far.close();
        far = ends.listening.openDatagramChannel().bind(any6);
        int longest = LONGEST + 20;
        assertThat(near.send(ByteBuffer.allocate(longest), far.getLocalAddress()))
                .isEqualTo(longest);
        ByteBuffer into = ByteBuffer.allocate(longest + 1);
        far.receive(into);
        assertThat(into.position()).isEqualTo(longest);
        assertThatThrownBy(() -> near.send(ByteBuffer.allocate(longest + 1), far.getLocalAddress()))
                .hasMessage("Message too long: a datagram has at most 65527 bytes, not 65528");
    }

    @Test
    @DisplayName("is closed by a call of a thread that was interrupted before, although the call would not block")
    void interruptedBefore() throws Exception {
        sendAndAwait(near, "here");
        SocketAddress there = far.getLocalAddress();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> far.receive(ByteBuffer.allocate(10))).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> near.send(text("gone"), there)).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(near.isOpen() || far.isOpen()).isFalse();
    }

    @Test
    @DisplayName("rejects longer datagrams with a reason")
    void tooLong() {
        assertThatThrownBy(() -> near.send(ByteBuffer.allocate(LONGEST + 1), far.getLocalAddress()))
                .isInstanceOf(IOException.class)
                .hasMessage("Message too long: a datagram has at most 65507 bytes, not 65508");
    }

    @Test
    @DisplayName("gathers a datagram from buffers, and scatters it; bytes without room are lost")
    void gathers() throws Exception {
        far.connect(bound(near));
        near.connect(far.getLocalAddress());
        near.write(new ByteBuffer[] {text("ab"), text(""), text("cdef")});
        ByteBuffer[] parts = {ByteBuffer.allocate(1), ByteBuffer.allocate(3)};
        assertThat(far.read(parts)).isEqualTo(4);
        assertThat(read(parts[1])).isEqualTo("bcd");
        near.write(text("next"));
        assertThat(next(far)).isEqualTo("next");
    }

    private static SocketAddress bound(DatagramChannel channel) throws IOException {
        return channel.bind(ANY).getLocalAddress();
    }

    @Test
    @DisplayName("that is connected receives from its peer only, and sends to its peer only, until it is disconnected")
    void connected() throws Exception {
        DatagramChannel other = ends.connecting.openDatagramChannel().bind(ANY);
        near.bind(ANY);
        other.send(text("before"), far.getLocalAddress());
        assertThat(next(far)).isEqualTo("before");
        far.connect(near.getLocalAddress());
        assertThat(far.getRemoteAddress()).isEqualTo(near.getLocalAddress());
        sendAndAwait(other, "unheard"); // the system keeps no order between sockets
        near.send(text("heard"), far.getLocalAddress());
        assertThat(next(far)).isEqualTo("heard");
        assertThatThrownBy(() -> far.send(text("x"), other.getLocalAddress()))
                .isInstanceOf(AlreadyConnectedException.class);

        far.disconnect();

        assertThat(far.isConnected()).isFalse();
        other.send(text("heard again"), far.getLocalAddress());
        assertThat(next(far)).isEqualTo("heard again");
        assertThatThrownBy(() -> far.write(text("x"))).isInstanceOf(NotYetConnectedException.class);
    }

    @Test
    @DisplayName("that is connected receives from its peer, however many datagrams others send")
    void strangers() throws Exception {
        near.bind(ANY);
        far.connect(near.getLocalAddress());
        for (int i = 0; i < 1_200; i++) {
            try (DatagramSocket stranger = new DatagramSocket(ANY)) {
                stranger.send(new DatagramPacket(new byte[1], 1, far.getLocalAddress()));
            }
            Objects.requireNonNull(ends.far.datagrams()).context().poll();
        }
        assertHears("heard");
    }

    /** Sends repeatedly, because any datagram of many may be lost. */
    private void assertHears(String text) throws IOException {
        far.configureBlocking(false);
        ByteBuffer into = ByteBuffer.allocate(2_000);
        await().pollInSameThread().until(() -> {
            near.send(text(text), far.getLocalAddress());
            return far.receive(into.clear()) != null && read(into).equals(text);
        });
    }

    @Test
    @DisplayName("that connects before it is bound gets an address")
    void connectsFirst() throws Exception {
        near.connect(far.getLocalAddress());
        InetSocketAddress local = (InetSocketAddress) near.getLocalAddress();
        assertThat(local.getAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    }

    @Test
    @DisplayName("as a DatagramSocket fills alternating packets up to their capacity, not up to their last length")
    void packetsInTurn() throws Exception {
        near.bind(ANY);
        DatagramPacket[] packets = {new DatagramPacket(new byte[100], 100), new DatagramPacket(new byte[100], 10, 80)};
        int[] sent = {5, 6, 50, 90, 60, 70};
        int[] received = {5, 6, 50, 80, 60, 70};
        for (int i = 0; i < sent.length; i++) {
            near.send(ByteBuffer.allocate(sent[i]), far.getLocalAddress());
            DatagramPacket packet = packets[i % 2];
            far.socket().receive(packet);
            assertThat(packet.getLength()).as("datagram %d", i).isEqualTo(received[i]);
        }
        packets[0].setLength(4);
        near.send(ByteBuffer.allocate(9), far.getLocalAddress());
        far.socket().receive(packets[0]);
        assertThat(packets[0].getLength()).as("as the program has set it since").isEqualTo(4);
    }

    @Test
    @DisplayName("answers plain UDP with plain UDP on the same port")
    void plainPeer() throws Exception {
        try (DatagramSocket plain = new DatagramSocket(ANY)) {
            plain.setSoTimeout((int) PATIENCE.toMillis());
            byte[] bytes = "a question in plain UDP that is as long as one of datagram-iWARP"
                    .getBytes(StandardCharsets.US_ASCII);
            plain.send(new DatagramPacket(bytes, bytes.length, far.getLocalAddress()));
            ByteBuffer into = ByteBuffer.allocate(100);
            SocketAddress asker = far.receive(into);
            assertThat(asker).isEqualTo(plain.getLocalSocketAddress());
            assertThat(into.flip()).isEqualTo(ByteBuffer.wrap(bytes));

            near.bind(ANY).send(text("beside"), far.getLocalAddress());
            assertThat(next(far)).isEqualTo("beside");
            far.send(text("answer"), asker);

            DatagramPacket answer = new DatagramPacket(new byte[100], 100);
            plain.receive(answer);
            assertThat(new String(answer.getData(), 0, answer.getLength(), StandardCharsets.US_ASCII))
                    .isEqualTo("answer");
            assertThat(answer.getSocketAddress()).isEqualTo(far.getLocalAddress());
            assertThatThrownBy(() -> far.send(ByteBuffer.allocate(0), asker))
                    .hasMessageStartingWith("an empty plain datagram cannot be sent");
        }
    }

    @Test
    @DisplayName("sends to an unknown peer with RDMA first, and a second later with plain UDP")
    void either() throws Exception {
        near.bind(ANY);
        try (DatagramChannel plain = DatagramChannel.open().bind(ANY)) {
            plain.configureBlocking(false);
            AtomicReference<String> came = new AtomicReference<>("");
            await().until(() -> {
                near.send(text("who speaks?"), plain.getLocalAddress());
                ByteBuffer into = ByteBuffer.allocate(1_000);
                if (plain.receive(into) != null) {
                    came.set(StandardCharsets.ISO_8859_1.decode(into.flip()).toString());
                }
                return came.get().equals("who speaks?");
            });
        }
        near.send(text("to jwarp"), far.getLocalAddress());
        assertThat(next(far)).isEqualTo("to jwarp");
    }

    @Test
    @DisplayName("reaches a peer that never answers, whichever protocol the peer uses")
    void oneWay() throws Exception {
        near.connect(far.getLocalAddress());
        long end = System.nanoTime() + Duration.ofMillis(1_300).toNanos();
        for (int i = 0; System.nanoTime() < end; i++) {
            near.write(text("datagram " + i));
            assertThat(next(far)).isEqualTo("datagram " + i);
        }
    }

    @Test
    @DisplayName("does not return a damaged datagram-iWARP message as a plain datagram")
    void damaged() throws Exception {
        try (DatagramChannel plain = DatagramChannel.open().bind(ANY)) {
            ByteBuffer message = ByteBuffer.allocate(60).put(0, (byte) 0x10).putInt(8, DatagramEnd.KEY);
            plain.send(message, far.getLocalAddress());
            plain.send(message.limit(23).position(0), far.getLocalAddress()); // too short for a message
            ByteBuffer into = ByteBuffer.allocate(100);
            assertThat(far.receive(into)).isEqualTo(plain.getLocalAddress());
            assertThat(into.position()).isEqualTo(23);
        }
    }

    @Test
    @DisplayName("is that of the JDK if rules or its option select this, also in jwarp's selectors")
    void ofTheJdk() throws Exception {
        near.setOption(JwarpSocketOptions.MODE, SocketMode.TCP);
        near.configureBlocking(false);
        try (Selector selector = ends.connecting.openSelector();
                DatagramChannel plain = DatagramChannel.open().bind(ANY)) {
            SelectionKey key = near.register(selector, SelectionKey.OP_READ);
            near.bind(ANY);
            plain.send(text("plain"), near.getLocalAddress());
            assertThat(selector.select()).isOne();
            assertThat(key.isReadable()).isTrue();
            assertThat(next(near)).isEqualTo("plain");
            near.send(text("back"), plain.getLocalAddress());
            assertThat(next(plain)).isEqualTo("back");
        }
        assertThat(near.toString()).contains("sun.nio.ch");
    }

    @Test
    @DisplayName("is selected together with streams, and wakes the selector at once")
    void selected() throws Exception {
        try (Selector selector = ends.listening.openSelector();
                SocketChannel stream = ends.connect();
                SocketChannel streamPeer = ends.listener.accept()) {
            far.configureBlocking(false);
            streamPeer.configureBlocking(false);
            SelectionKey ofDatagrams = far.register(selector, SelectionKey.OP_READ);
            streamPeer.register(selector, SelectionKey.OP_READ);
            near.connect(far.getLocalAddress());
            Future<?> echo = ends.run(() -> {
                int left = 2 * 500;
                while (left > 0) {
                    left -= selector.select(key -> echo(key));
                }
                return null;
            });
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < 500; i++) {
                near.write(one.clear());
                assertThat(near.read(one.clear())).isOne();
                stream.write(one.clear());
                assertThat(stream.read(one.clear())).isOne();
            }
            Patience.get(echo);
            assertThat(ofDatagrams.isValid()).isTrue();
            assertThat(selector.selectNow()).isZero();
        }
    }

    private static void echo(SelectionKey key) {
        ByteBuffer some = ByteBuffer.allocate(10);
        try {
            if (key.channel() instanceof DatagramChannel datagrams) {
                SocketAddress from = datagrams.receive(some);
                datagrams.send(some.flip(), from);
            } else if (key.channel() instanceof SocketChannel stream) {
                stream.read(some);
                stream.write(some.flip());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("alone in a selector is writable at once, and readable when a datagram has arrived")
    void selectedAlone() throws Exception {
        try (Selector selector = ends.connecting.openSelector()) {
            near.configureBlocking(false);
            SelectionKey key = near.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            assertThat(selector.select()).isOne();
            assertThat(key.readyOps()).isEqualTo(SelectionKey.OP_WRITE);
            selector.selectedKeys().clear();
            key.interestOps(SelectionKey.OP_READ);
            assertThat(near.receive(ByteBuffer.allocate(1))).isNull();
            near.send(text("hello"), far.getLocalAddress());
            ByteBuffer into = ByteBuffer.allocate(10);
            SocketAddress from = far.receive(into);
            Future<Integer> answered = ends.run(() -> far.send(text("hello, too"), from));
            assertThat(selector.select()).isOne();
            assertThat(key.isReadable()).isTrue();
            assertThat(next(near)).isEqualTo("hello, too");
            Patience.get(answered);
        }
    }

    @Test
    @DisplayName("keeps at most its receive buffer of unread datagrams, and continues with later ones")
    void overflow() throws Exception {
        far.close();
        far = ends.listening.openDatagramChannel();
        far.setOption(StandardSocketOptions.SO_RCVBUF, 8_192);
        far.bind(ANY);
        near.connect(far.getLocalAddress());
        for (int i = 0; i < 1_000; i++) {
            near.write(ByteBuffer.allocate(1_000));
        }
        for (int i = 0; i < 7; i++) {
            assertThat(far.receive(ByteBuffer.allocate(2_000))).isEqualTo(near.getLocalAddress());
        }
        assertHears("after");
    }

    @Test
    @DisplayName("keeps unread datagrams in order while there is room, whichever memory has received them")
    void many() throws Exception {
        far.close();
        far = ends.listening.openDatagramChannel();
        far.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 20);
        far.bind(ANY);
        // A sender that hears nothing turns to plain datagrams after a second. Those are copied, and stay in no slot.
        near.setOption(JwarpSocketOptions.MODE, SocketMode.RDMA);
        near.connect(far.getLocalAddress());
        for (int i = 0; i < 200; i++) {
            long before = came();
            near.write(ByteBuffer.allocate(1_000).putInt(0, i));
            await().pollInSameThread().until(() -> came() > before);
        }
        await().untilAsserted(() -> assertThat(
                        Objects.requireNonNull(ends.far.datagrams()).slotsLeft())
                .as("half of the shared receive memory remains free for others")
                .isEqualTo(32));
        ByteBuffer into = ByteBuffer.allocate(1_001);
        for (int i = 0; i < 200; i++) {
            assertThat(far.receive(into.clear())).isEqualTo(near.getLocalAddress());
            assertThat(into.position()).isEqualTo(1_000);
            assertThat(into.getInt(0)).isEqualTo(i);
        }
    }

    /** Sends a datagram to the far end, and waits for its arrival. */
    private void sendAndAwait(DatagramChannel from, String text) throws IOException {
        long before = came();
        from.send(text(text), far.getLocalAddress());
        await().pollInSameThread().until(() -> came() > before);
    }

    private long came() {
        return Objects.requireNonNull(ends.far.datagrams()).context().counters().stream()
                .filter(counter -> counter.name().endsWith("rx_datagrams"))
                .mapToLong(counter -> counter.value())
                .sum();
    }

    @Test
    @DisplayName("ends the wait of a thread when it is closed or interrupted")
    void waiting() throws Exception {
        Future<?> closed = ends.run(() -> far.receive(ByteBuffer.allocate(1)));
        far.close();
        assertThatThrownBy(() -> Patience.get(closed)).isInstanceOf(ClosedChannelException.class);
        near.bind(ANY);
        AtomicReference<Thread> waits = new AtomicReference<>();
        Future<?> interrupted = ends.run(() -> {
            waits.set(Thread.currentThread());
            return near.receive(ByteBuffer.allocate(1));
        });
        await().until(() -> waits.get() != null);
        waits.get().interrupt();
        assertThatThrownBy(() -> Patience.get(interrupted))
                .isInstanceOfAny(ClosedByInterruptException.class, AsynchronousCloseException.class);
        assertThat(near.isOpen()).isFalse();
    }

    @Test
    @DisplayName("as a DatagramSocket, sends and receives packets, with a time-out")
    void asSocket() throws Exception {
        DatagramSocket socket = near.socket();
        assertThat(socket.isBound()).isFalse();
        socket.bind(ANY);
        socket.setSoTimeout(50);
        assertThatThrownBy(() -> socket.receive(new DatagramPacket(new byte[1], 1)))
                .isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        far.send(text("packet"), socket.getLocalSocketAddress());
        DatagramPacket packet = new DatagramPacket(new byte[10], 10);
        socket.receive(packet);
        assertThat(packet.getSocketAddress()).isEqualTo(far.getLocalAddress());
        assertThat(packet.getLength()).isEqualTo(6);
        packet.setLength(3);
        socket.send(packet);
        assertThat(next(far)).isEqualTo("pac");
        socket.close();
        assertThat(near.isOpen()).isFalse();
    }

    @Test
    @DisplayName("joins groups at its port, and receives their datagrams over RDMA and plain UDP")
    void groups() throws Exception {
        InetAddress group = InetAddress.getByName("239.7.8.9");
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        DatagramChannel member =
                ends.listening.openDatagramChannel(StandardProtocolFamily.INET).bind(new InetSocketAddress(0));
        int port = ((InetSocketAddress) member.getLocalAddress()).getPort();
        MembershipKey key = member.join(group, loopback);
        assertThat(key.isValid()).isTrue();
        assertThat(member.join(group, loopback)).isSameAs(key);
        near.bind(ANY);

        near.send(text("to all"), new InetSocketAddress(group, port));
        assertThat(next(member)).isEqualTo("to all");
        try (DatagramChannel plain = DatagramChannel.open(StandardProtocolFamily.INET)) {
            plain.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback);
            plain.send(text("plain"), new InetSocketAddress(group, port));
            assertThat(next(member)).isEqualTo("plain");
        }
        far.send(text("to you"), new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        assertThat(next(member)).isEqualTo("to you");

        key.drop();
        assertThat(key.isValid()).isFalse();
        near.send(text("to others"), new InetSocketAddress(group, port));
        far.send(text("still there"), new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        assertThat(next(member)).isEqualTo("still there");
    }
}
