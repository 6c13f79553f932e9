package dev.jwarp.sockets;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.connection.StreamMemory;
import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One address that tries to use all places of a listener and all memory. Its connections are TCP connections with
 * arbitrary bytes.
 */
@DisplayName("A listener whose resources one address wants to exhaust")
@Timeout(120)
class HostileSourcesTest {
    private static final String GOOD = "127.0.0.1";
    private static final String BAD = "127.0.0.2";
    private static final int BACKLOG = 4;

    /** A little more than the bytes of a stream with the smallest receive buffer, for each protocol. */
    private static final int STREAM = 170_000;

    private static final int STREAMS = 16;

    private final StreamMemory memory = new StreamMemory((long) STREAMS * STREAM);
    private final SocketContext near = new SocketContext(Map.of());
    private final SocketContext far = new SocketContext(Map.of(), memory);
    private final List<Socket> attackers = new ArrayList<>();
    private ServerSocketChannel listener;

    @BeforeEach
    void begin() throws IOException {
        listener = new JwarpSelectorProvider(() -> far).openServerSocketChannel();
    }

    @AfterEach
    void end() throws IOException {
        for (Socket one : attackers) {
            one.close();
        }
        near.close();
        far.close();
    }

    private void listen(StreamProtocol protocol) throws IOException {
        listener.setOption(JwarpSocketOptions.PROTOCOL, protocol);
        listener.setOption(StandardSocketOptions.SO_RCVBUF, 4096);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    }

    /**
     * The Request of an attacker: MPA revision 2, with a stream record after the depths; the peer-to-peer set-up leaves
     * the connection half-open.
     */
    private static byte[] request(StreamProtocol protocol, boolean halfMade) {
        String record = protocol == StreamProtocol.RSOCKETS
                ? "01030180" + "00000000" + "00000000000010000000004d00000002" + "00000000000020000000004e00010000"
                : "4a5753540101" + "0018" + "00000000" + "00000000" + "0020" + "0000" + "00001000";
        String depths = halfMade ? "8010" + "8010" : "0010" + "0010";
        byte[] data = HexFormat.of().parseHex(depths + record);
        return ByteBuffer.allocate(20 + data.length)
                .put("MPA ID Req Frame".getBytes(US_ASCII))
                .put((byte) 0x50)
                .put((byte) 2)
                .putShort((short) data.length)
                .put(data)
                .array();
    }

    /** Completes the peer-to-peer set-up: an FPDU with an empty RDMA Write. */
    private static byte[] readyToReceive() {
        ByteBuffer fpdu =
                ByteBuffer.allocate(20).putShort((short) 14).put((byte) 0xC1).put((byte) 0x40);
        CRC32C crc = new CRC32C();
        crc.update(fpdu.array(), 0, 16);
        return fpdu.order(ByteOrder.LITTLE_ENDIAN)
                .putInt(16, (int) crc.getValue())
                .array();
    }

    /** {@return the private data of the Reject; null if the connection was accepted} */
    private byte @Nullable [] attack(String from, byte[] request) throws IOException {
        Socket socket = new Socket();
        attackers.add(socket);
        socket.setSoTimeout((int) Patience.MILLIS);
        socket.bind(new InetSocketAddress(from, 0));
        socket.connect(listener.getLocalAddress());
        socket.getOutputStream().write(request);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] head = new byte[20];
        in.readFully(head);
        byte[] data = new byte[ByteBuffer.wrap(head).getShort(18)];
        in.readFully(data);
        return (head[16] & 0x20) == 0 ? null : data;
    }

    private SocketChannel connect(StreamProtocol protocol) throws IOException {
        SocketChannel channel = new JwarpSelectorProvider(() -> near).openSocketChannel();
        channel.setOption(JwarpSocketOptions.PROTOCOL, protocol);
        channel.connect(listener.getLocalAddress());
        return channel;
    }

    private static void echo(SocketChannel from, SocketChannel to) throws IOException {
        from.write(ByteBuffer.wrap(new byte[] {7}));
        ByteBuffer came = ByteBuffer.allocate(1);
        to.read(came);
        assertThat(came.get(0)).isEqualTo((byte) 7);
    }

    /** Asserts that the attacker's connection has ended or ends now. */
    private static void assertEnded(Socket attacker) {
        assertThatThrownBy(() -> new DataInputStream(attacker.getInputStream()).readByte())
                .isInstanceOfAny(EOFException.class, SocketException.class)
                .isNotInstanceOf(SocketTimeoutException.class);
    }

    @ParameterizedTest
    @CsvSource({"RSOCKETS, 127.0.0.1", "RSOCKETS, 127.0.0.2", "CREDITS, 127.0.0.1", "CREDITS, 127.0.0.2"})
    @DisplayName(
            "accepts a connection of the same or another address while more half-open connections than the backlog exist: the oldest are displaced:")
    void halfMade(StreamProtocol protocol, String from) throws IOException {
        listen(protocol);
        for (int i = 0; i < 2 * BACKLOG; i++) {
            assertThat(attack(from, request(protocol, true))).isNull();
        }
        assertEnded(attackers.get(0));
        try (SocketChannel good = connect(protocol);
                SocketChannel accepted = listener.accept()) {
            echo(good, accepted);
        }
        assertEnded(attackers.get(BACKLOG - 1));
    }

    @Test
    @DisplayName("does not displace half-open connections of other addresses for that address")
    void othersHalfMade() throws IOException {
        listen(StreamProtocol.RSOCKETS);
        attack(GOOD, request(StreamProtocol.RSOCKETS, true));
        for (int i = 0; i < 3 * BACKLOG; i++) {
            attack(BAD, request(StreamProtocol.RSOCKETS, true));
        }
        Socket good = attackers.get(0);
        good.getOutputStream().write(readyToReceive());
        try (SocketChannel accepted = listener.accept()) {
            assertThat(accepted.getRemoteAddress()).isEqualTo(good.getLocalSocketAddress());
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "rejects that address with a reason while its connections wait for the program, and accepts others: the oldest is displaced:")
    void notTaken(StreamProtocol protocol) throws IOException {
        listen(protocol);
        for (int i = 0; i < BACKLOG; i++) {
            assertThat(attack(BAD, request(protocol, false))).isNull();
        }
        byte[] refusal = attack(BAD, request(protocol, false));
        assertThat(refusal).as("the next one is rejected").isNotNull();
        assertThat(ByteBuffer.wrap(refusal).getShort(4 + 18)).as("reason").isEqualTo((short) 8);
        try (SocketChannel good = connect(protocol)) {
            assertEnded(attackers.get(0));
            for (int i = 1; i < BACKLOG; i++) {
                listener.accept().close();
            }
            try (SocketChannel accepted = listener.accept()) {
                echo(good, accepted);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("grants it three quarters of the memory, rejects more with a reason, and leaves the rest to others:")
    void memory(StreamProtocol protocol) throws IOException {
        listen(protocol);
        int in = 0;
        byte[] refusal = null;
        while (refusal == null && in < 2 * STREAMS) {
            refusal = attack(BAD, request(protocol, false));
            if (refusal == null) {
                in++;
                listener.accept();
            }
        }
        assertThat(refusal).as("after " + in + " connections").isNotNull();
        assertThat(ByteBuffer.wrap(refusal).getShort(4 + 18)).as("reason").isEqualTo((short) 8);
        assertThat(memory.used()).isBetween(STREAMS * STREAM / 2L, STREAMS * STREAM * 3 / 4L);
        try (SocketChannel good = connect(protocol);
                SocketChannel accepted = listener.accept()) {
            echo(good, accepted);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {GOOD, BAD})
    @DisplayName(
            "has memory for a new connection while closed connections, whose peer does not end them, use all of it:")
    void closed(String from) throws IOException {
        listen(StreamProtocol.RSOCKETS);
        for (int i = 0; i < 2 * STREAMS; i++) {
            assertThat(attack(BAD, request(StreamProtocol.RSOCKETS, false))).isNull();
            listener.accept().close();
        }
        assertThat(attack(from, request(StreamProtocol.RSOCKETS, false))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {GOOD, BAD})
    @DisplayName("sends all bytes that were written to a closed connection, while other connections need its memory:")
    void closedWithBytesLeft(String from) throws IOException {
        listen(StreamProtocol.CREDITS);
        try (SocketChannel good = connect(StreamProtocol.CREDITS)) {
            SocketChannel accepted = listener.accept();
            accepted.configureBlocking(false);
            ByteBuffer data = ByteBuffer.allocate(4 << 20);
            while (accepted.write(data) > 0) {
                // The peer does not read: at some time it takes no more.
            }
            accepted.close();
            while (attack(from, request(StreamProtocol.CREDITS, false)) == null) {
                listener.accept();
            }
            ByteBuffer came = ByteBuffer.allocate(data.position() + 1);
            while (good.read(came) > 0) {
                // Up to the end.
            }
            assertThat(came.position()).isEqualTo(data.position()).isLessThan(data.capacity());
        }
    }

    @Test
    @DisplayName("keeps at most the backlog of connections that have ended before the program took them")
    void endedBeforeTheyAreTaken() throws IOException {
        listen(StreamProtocol.RSOCKETS);
        // Four of one address, of which one after the other gives way to those of others.
        for (int last : new int[] {2, 2, 2, 2, 3, 3, 4, 5}) {
            assertThat(attack("127.0.0." + last, request(StreamProtocol.RSOCKETS, false)))
                    .isNull();
            attackers.get(attackers.size() - 1).close();
        }
        await().until(() -> memory.used() <= BACKLOG * STREAM);
    }

    @Test
    @DisplayName("has all memory again after their end, and a client gets the reason")
    void again() throws IOException {
        listen(StreamProtocol.CREDITS);
        List<SocketChannel> channels = new ArrayList<>();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 2 * STREAMS; i++) {
                        channels.add(connect(StreamProtocol.CREDITS));
                        channels.add(listener.accept());
                    }
                })
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("it has no place or no memory for another connection");
        for (SocketChannel one : channels) {
            one.close();
        }
        await().until(() -> memory.used() == 0);
        connect(StreamProtocol.CREDITS).close();
    }
}
