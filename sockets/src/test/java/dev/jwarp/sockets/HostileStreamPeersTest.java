package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jwarp.sockets.connection.StreamConnection;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.SendWorkRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/**
 * Attacks of peers with verbs, and of other hosts, on a program with sockets: the attacked channel fails with a reason,
 * and the other channels continue.
 */
@DisplayName("Sockets whose peer")
class HostileStreamPeersTest {
    private static final Duration PATIENCE = VerbsPeer.PATIENCE;
    private static final int BYTES = VerbsPeer.BYTES;
    private static final int VERSION = 1;
    private static final int BIG_ENDIAN = 1;

    private static final int DISCONNECT = 0xE000_0000;
    private static final int KEEPALIVE = 0xE000_0001;
    private static final int SHUTDOWN = 0xE000_0002;

    private Ends ends;
    private SocketChannel good;
    private SocketChannel goodsPeer;

    @BeforeEach
    void begin() throws IOException {
        ends = new Ends();
        good = ends.connect();
        goodsPeer = ends.listener.accept();
    }

    @AfterEach
    void othersGoOn() throws IOException {
        try (Ends last = ends) {
            assertThat(last.listener.isOpen()).isTrue();
            echo(good, goodsPeer);
            try (SocketChannel next = ends.connect();
                    SocketChannel accepted = ends.listener.accept()) {
                echo(next, accepted);
            }
        }
    }

    private static void echo(SocketChannel from, SocketChannel to) throws IOException {
        from.write(ByteBuffer.wrap(new byte[] {7}));
        ByteBuffer came = ByteBuffer.allocate(1);
        to.read(came);
        assertThat(came.get(0)).isEqualTo((byte) 7);
    }

    /** A peer with the record of an rsocket. */
    private static final class Liar extends VerbsPeer {
        /** The channel of the program, once there is a connection. */
        ByteBuffer record = ByteBuffer.allocate(0);

        Liar() {
            super(Integer.BYTES);
        }

        SocketChannel connected(Ends ends) throws IOException {
            CmEvent established = connect(ends.address(), record(VERSION, 100, BYTES / 2));
            assertThat(established.type()).as(established.sentence()).isEqualTo(CmEventType.ESTABLISHED);
            record = ByteBuffer.wrap(established.parameters().privateData());
            return ends.listener.accept();
        }

        /** The record of an rsocket, with a table at the beginning of its memory, followed by its place. */
        byte[] record(int version, int credits, int room) {
            return ByteBuffer.allocate(40)
                    .put((byte) version)
                    .put((byte) BIG_ENDIAN)
                    .putShort((short) credits)
                    .putLong(8, memory.address())
                    .putInt(16, memory.rkey())
                    .putInt(20, 2)
                    .putLong(24, memory.address() + BYTES / 2)
                    .putInt(32, memory.rkey())
                    .putInt(36, room)
                    .array();
        }

        void say(int... words) {
            for (int word : words) {
                send(ByteBuffer.allocate(Integer.BYTES).putInt(0, word).array());
            }
        }

        /** Writes to the place that the program has granted, or beyond it. */
        void write(int beyond, int length) {
            pair.postSend(new SendWorkRequest()
                    .rdmaWrite(record.getLong(24) + beyond, record.getInt(32))
                    .add(memory, 0, length));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        a word that is unknown           | 0x20000000 | sent an unknown rsocket word: 0x20000000
        a control that is unknown        | 0xe0000009 | sent an unknown rsocket word: 0xe0000009
        an entry of a map that is none   | 0xc0000000 | sent an unknown rsocket word: 0xc0000000
        more bytes than there is room    | 0x00200000 | announced more bytes than it had room for
        nearly all that 29 bits can say  | 0x1fffffff | announced more bytes than it had room for
        """)
    @DisplayName("sends an invalid word:")
    void lies(String what, String word, String sentence) throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(Integer.parseUnsignedInt(word.substring(2), 16));
            endsWith(channel, sentence);
        }
    }

    private static void endsWith(SocketChannel channel, String sentence) {
        ByteBuffer into = ByteBuffer.allocate(10);
        assertThatThrownBy(() -> channel.read(into))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the peer " + sentence);
        assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
    }

    @Test
    @DisplayName("sends more messages than it has credits")
    void credits() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            int most = liar.record.getShort(2) & 0xFFFF;
            for (int i = 0; i <= most; i++) {
                liar.say(1);
            }
            await().until(() -> failed(channel));
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(0)))
                    .hasMessageContaining("sent more messages than it has credits for");
        }
    }

    /** {@return whether an empty write fails} A read would return credits. */
    private static boolean failed(SocketChannel channel) {
        try {
            return channel.write(ByteBuffer.allocate(0)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    @DisplayName("sends data after its end")
    void dataBehindTheEnd() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(SHUTDOWN, 1);
            ByteBuffer into = ByteBuffer.allocate(10);
            assertThatThrownBy(() -> {
                        while (channel.read(into.clear()) <= 0) {
                            Thread.onSpinWait();
                        }
                    })
                    .hasMessageContaining("sent data after the end of the stream");
        }
    }

    @Test
    @DisplayName("writes outside the memory that was granted to it")
    void beside() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.write(liar.record.getInt(36), 16);
            assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(10))).isInstanceOf(IOException.class);
        }
    }

    @Test
    @DisplayName(
            "ends the connection without a closing word, like a process that exits: the program gets the end and cannot send")
    void withoutAWord() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.write(0, 100);
            liar.say(60);
            ByteBuffer into = ByteBuffer.allocate(100);
            assertThat(channel.read(into)).isEqualTo(60);
            liar.id.disconnect();
            assertThat(channel.read(into)).isNegative();
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
        }
    }

    @Test
    @DisplayName("sends DISCONNECT and continues: the program gets the end")
    void goodbye() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(DISCONNECT, 1, 0x2000_0000);
            assertThat(channel.read(ByteBuffer.allocate(1))).isNegative();
        }
    }

    @Test
    @DisplayName("sends DISCONNECT: the connection ends at once, although the program has not read everything")
    void goodbyeEnds() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.write(0, 60);
            liar.say(60, DISCONNECT);
            assertThat(liar.event().type()).isEqualTo(CmEventType.DISCONNECTED);
            ByteBuffer into = ByteBuffer.allocate(100);
            assertThat(channel.read(into)).isEqualTo(60);
            assertThat(channel.read(into)).isNegative();
        }
    }

    @Test
    @DisplayName("has received everything gets time to read it before the connection ends")
    void heldForThePeer() throws Exception {
        try (Liar liar = new Liar()) {
            SocketChannel channel = liar.connected(ends);
            liar.say(KEEPALIVE);
            assertThat(channel.write(ByteBuffer.allocate(100))).isEqualTo(100);
            long closed = System.nanoTime();
            channel.close();
            assertThat(liar.event().type()).isEqualTo(CmEventType.DISCONNECTED);
            assertThat(Duration.ofNanos(System.nanoTime() - closed)).isGreaterThanOrEqualTo(StreamConnection.HELD);
        }
    }

    @Test
    @DisplayName("never reads and never acknowledges: a writer waits until the channel is closed")
    void neverReads() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(KEEPALIVE); // the accepting end sends nothing before (RFC 5044 §7.1.2)
            ByteBuffer much = ByteBuffer.allocate(1 << 20).put(BYTES / 2 - 1, (byte) 1);
            Future<Integer> writer = ends.run(() -> channel.write(much));
            await().until(() -> liar.memory.buffer().get(BYTES - 1) == 1);
            echo(good, goodsPeer);
            assertThat(writer.isDone()).isFalse();
            channel.close();
            assertThat(Patience.get(writer)).as("sent bytes").isEqualTo(BYTES / 2);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 100, 100", "2, 100, 100", "1, 0, 100", "1, 100, 0", "1, 100, -1"})
    @DisplayName("sends an invalid record (version, credits, room) is rejected:")
    void records(int version, int credits, int room) {
        try (Liar liar = new Liar()) {
            assertThat(liar.connect(addressOf(), liar.record(version, credits, room))
                            .type())
                    .isEqualTo(CmEventType.REJECTED);
        }
    }

    private SocketAddress addressOf() {
        try {
            return ends.address();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "39"})
    @DisplayName("sends a truncated record (bytes) is rejected:")
    void tooShort(int bytes) {
        try (Liar liar = new Liar()) {
            assertThat(liar.connect(addressOf(), new byte[bytes]).type()).isEqualTo(CmEventType.REJECTED);
        }
    }

    @Test
    @DisplayName("sends truncated records repeatedly does not fill the log")
    void log() {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.jwarp.sockets");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            for (int i = 0; i < 5; i++) {
                tooShort(i);
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .hasSize(1)
                .allMatch(line -> line.getFormattedMessage().contains("0 bytes, and a record has 40"));
    }

    @Test
    @DisplayName("speaks HTTP")
    void http() throws IOException {
        InetSocketAddress to = (InetSocketAddress) ends.address();
        try (Socket stranger = new Socket(to.getAddress(), to.getPort())) {
            stranger.setSoTimeout((int) PATIENCE.toMillis());
            stranger.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            InputStream in = stranger.getInputStream();
            assertThat(endOf(in)).isTrue();
        }
    }

    private static boolean endOf(InputStream in) {
        try {
            return in.read() < 0;
        } catch (IOException e) {
            return true; // a reset is an end, too
        }
    }

    @Test
    @DisplayName("connects a thousand times and sends nothing")
    void connects() throws IOException {
        InetSocketAddress to = (InetSocketAddress) ends.address();
        for (int i = 0; i < 1000; i++) {
            new Socket(to.getAddress(), to.getPort()).close();
        }
    }
}
