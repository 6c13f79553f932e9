package dev.jwarp.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.sockets.stream.StreamProtocol;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEvent;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaProvider;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * As HostileStreamPeersTest, with credits: the channel of the hostile peer fails with a reason, and the other channels
 * continue.
 */
@DisplayName("Sockets with credits whose peer")
class HostileCreditPeersTest {
    private static final String GREETING = "0200000000000000";
    private static final String BYTE = "010000000000000161";

    private Ends ends;
    private SocketChannel good;
    private SocketChannel goodsPeer;

    @BeforeEach
    void begin() throws IOException {
        ends = new Ends(StreamProtocol.CREDITS);
        good = ends.connect();
        goodsPeer = ends.listener.accept();
    }

    @AfterEach
    void othersGoOn() throws IOException {
        try (Ends last = ends) {
            echo(good, goodsPeer);
            try (SocketChannel next = ends.connect();
                    SocketChannel accepted = last.listener.accept()) {
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

    /** A peer with a record of 32 credits for messages of 64 octets. */
    private static final class Liar extends VerbsPeer {
        static final String RECORD =
                "4a575354" + "01" + "01" + "0018" + "00000000" + "00000000" + "0020" + "0000" + "00000040";

        Liar() {
            super(64);
        }

        SocketChannel connected(Ends ends) throws IOException {
            CmEvent event = connect(ends.address(), HexFormat.of().parseHex(RECORD));
            assertThat(event.type()).as(event.sentence()).isEqualTo(CmEventType.ESTABLISHED);
            return ends.listener.accept();
        }

        void say(String... messages) {
            for (String octets : messages) {
                send(HexFormat.of().parseHex(octets));
            }
        }

        /** Waits for so many messages. */
        void hears(int count) {
            WorkCompletion[] some = WorkCompletion.array(count);
            int heard = 0;
            while (heard < count) {
                int more = received.await(some, PATIENCE);
                assertThat(more).isPositive();
                heard += more;
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        no whole header          | 01               | sent a message of invalid length: 1 bytes
        another length           | 010000000000000261 | sent a message of invalid length: 9 bytes
        nothing as data          | 0100000000000000 | sent a message of invalid length: 0 bytes of data
        a kind that is none      | 0900000000000000 | sent an unknown message: kind 9
        a flag that is none      | 0210000000000000 | sent an unknown message: kind 2, flags 0x10
        more than it was sent    | 0200010000000000 | returned more credits than it was sent messages: 256
        an answer to nothing     | 0400000000000000 | repeated a FIN, or acknowledged one that was not sent
        """)
    @DisplayName("sends an invalid message:")
    void lies(String what, String octets, String sentence) throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(octets);
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
            for (int i = 0; i < 33; i++) {
                liar.say(BYTE);
            }
            await().until(() -> failed(channel));
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(0)))
                    .hasMessageContaining("sent more messages than it has credits for: one more than its 32");
        }
    }

    @Test
    @DisplayName("sends more messages than there are buffers, or longer ones: the connection ends")
    void buffers() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            for (int i = 0; i < 60; i++) {
                liar.say(BYTE);
            }
            await().until(() -> failed(channel));
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
    @DisplayName("sends data after its FIN")
    void dataBehindTheEnd() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say("0300000000000000", BYTE);
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
    @DisplayName(
            "ends the connection without a FIN message, like a process that exits: the program gets the end and cannot send")
    void withoutAWord() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(BYTE);
            assertThat(channel.read(ByteBuffer.allocate(100))).isOne();
            liar.id.disconnect();
            assertThat(channel.read(ByteBuffer.allocate(100))).isNegative();
            assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
        }
    }

    @Test
    @DisplayName("is closed gets an acknowledgement, and the connection ends")
    void closed() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(BYTE, "0301000100000000");
            liar.hears(2);
            assertThat(liar.event().type()).isEqualTo(CmEventType.DISCONNECTED);
            ByteBuffer into = ByteBuffer.allocate(100);
            assertThat(channel.read(into)).isOne();
            assertThat(channel.read(into)).isNegative();
        }
    }

    @Test
    @DisplayName("returns no credits: a writer waits until the channel is closed")
    void neverReads() throws Exception {
        try (Liar liar = new Liar();
                SocketChannel channel = liar.connected(ends)) {
            liar.say(GREETING);
            Future<Integer> writer = ends.run(() -> channel.write(ByteBuffer.allocate(1 << 20)));
            liar.hears(31); // a greeting and 30 data messages; the last credit is reserved
            echo(good, goodsPeer);
            assertThat(writer.isDone()).isFalse();
            channel.close();
            assertThat(Patience.get(writer)).as("accepted bytes").isEqualTo(31 * 56);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        nothing        | ''                                                 | 1
        a cut record   | 4a57535401010018000000000000000000200000000010 | 4
        version 2      | 4a5753540201001800000000000000000020000000001000 | 3
        protocol 7     | 4a5753540107001800000000000000000020000000001000 | 2
        an option      | 4a5753540101001800000001000000000020000000001000 | 5
        no credits     | 4a5753540101001800000000000000000000000000001000 | 6
        small buffers  | 4a5753540101001800000000000000000020000000000001 | 6
        an rsocket     | 01030064000000000000000000000000000000000000000200000000000000000000000000001000 | 2
        """)
    @DisplayName("sends an invalid record is rejected with a reason:")
    void records(String what, String octets, int reason) throws IOException {
        try (Liar liar = new Liar()) {
            CmEvent event = liar.connect(ends.address(), HexFormat.of().parseHex(octets));
            assertThat(event.type()).isEqualTo(CmEventType.REJECTED);
            ByteBuffer told = ByteBuffer.wrap(event.parameters().privateData());
            assertThat(told.getInt(0)).isEqualTo(0x4a575354);
            assertThat(told.get(5)).as("protocol").isEqualTo((byte) 1);
            assertThat(told.getShort(18)).as("reason").isEqualTo((short) reason);
        }
    }

    /** A peer that listens, accepts large messages, and drives its connection only on request. */
    private static final class Sleeper implements AutoCloseable {
        private static final int MESSAGE = 1 << 16;
        private static final int MESSAGES = 252;

        private final Context context = RdmaProvider.load().devices().get(0).open(Progress.INLINE, Map.of());
        private final ProtectionDomain domain = context.allocateProtectionDomain();
        private final CompletionQueue completions = context.createCompletionQueue(1000);
        private final MemoryRegion memory = domain.allocate(MESSAGE, AccessFlag.LOCAL_WRITE);
        private final CmEventChannel events = context.createEventChannel();
        private final CmId listener = context.createId(events);

        Sleeper() {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listener.listen(1);
        }

        private CmEvent event() {
            CmEvent event = events.await(VerbsPeer.PATIENCE);
            assertThat(event).isNotNull();
            return event;
        }

        QueuePair accept() {
            CmId id = event().id();
            QueuePair pair = id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(10)
                            .maxReceiveWorkRequests(MESSAGES + 8)
                            .maxInlineData(8)
                            .build());
            for (int i = 0; i < MESSAGES + 8; i++) {
                pair.postReceive(new ReceiveWorkRequest().add(memory, 0, MESSAGE));
            }
            byte[] record = HexFormat.of().parseHex(Liar.RECORD);
            ByteBuffer.wrap(record).putShort(16, (short) (MESSAGES + 2)).putInt(20, MESSAGE);
            id.accept(ConnectionParameters.DEFAULT.withPrivateData(record));
            assertThat(event().type()).isEqualTo(CmEventType.ESTABLISHED);
            return pair;
        }

        @Override
        public void close() {
            context.close();
        }
    }

    @Test
    @DisplayName(
            "stops driving and then lies: a zero-copy write waits until its memory is free, and does not block other connections")
    void lends() throws Exception {
        try (Sleeper sleeper = new Sleeper();
                SocketChannel channel = ends.connecting.openSocketChannel()) {
            channel.setOption(JwarpSocketOptions.PROTOCOL, StreamProtocol.CREDITS)
                    .setOption(StandardSocketOptions.SO_SNDBUF, Sleeper.MESSAGES * Sleeper.MESSAGE);
            Future<Boolean> connected = ends.run(() -> channel.connect(sleeper.listener.localAddress()));
            QueuePair pair = sleeper.accept();
            assertThat(Patience.get(connected)).isTrue();
            ByteBuffer data = ByteBuffer.allocateDirect((Sleeper.MESSAGES - 10) * (Sleeper.MESSAGE - 8));
            channel.write(data.limit(16_384)); // the buffer is known from now on
            assertThat(sleeper.completions.await(WorkCompletion.array(1), VerbsPeer.PATIENCE))
                    .isPositive(); // the accepting end sends nothing before
            Future<Integer> written = ends.run(() -> channel.write(data.clear()));
            await().during(Duration.ofMillis(300)).until(() -> !written.isDone());
            pair.postSend(new SendWorkRequest()
                    .send()
                    .inlineData(ByteBuffer.allocate(8).put(0, (byte) 9)));
            sleeper.context.flush();
            Future<Integer> read = ends.run(() -> channel.read(ByteBuffer.allocate(1)));
            assertThatThrownBy(() -> read.get(Patience.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining("kind 9");
            assertThat(written.isDone()).isFalse();
            await().until(() -> {
                sleeper.context.poll();
                return written.isDone();
            });
        }
    }
}
