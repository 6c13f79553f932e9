package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A peer that lies over a connection")
class LyingPeerTest {
    private static final int SERVER = 7;
    private static final int LIAR = 99;
    private static final int SIZE = 2_048;
    private static final int WINDOW = 16;

    private final Machine machine = new Machine(Progress.THREADED, Map.of());
    private StaticDirectory directory;
    private InetSocketAddress address;
    private MessageEndpoint server;
    private Liar liar;

    @BeforeEach
    void open() throws Exception {
        address = MessageEndpointTest.freeAddress();
        directory = new StaticDirectory(Map.of(SERVER, address));
        server = MessageEndpoint.open(
                machine.context, directory, EndpointOptions.of(SERVER).withCarriers(QueuePairType.RC));
        server.onMessage(message -> {
            if (message.isCall()) {
                message.reply(message.data());
            }
        });
        liar = new Liar(new Hello(LIAR, SERVER, WINDOW, 0x1234, 1_400, 0, 0, 0).encoded());
    }

    @AfterEach
    void close() throws Exception {
        try (MessageEndpoint honest = MessageEndpoint.open(
                machine.context, directory, EndpointOptions.of(0).withCarriers(QueuePairType.RC))) {
            ByteBuffer question = ByteBuffer.wrap(new byte[] {1, 2, 3});
            try (Message answer = Patience.get(honest.call(SERVER, question, Patience.LIMIT))) {
                assertThat(answer.data()).isEqualTo(question);
            }
        }
        liar.close();
        server.close();
        machine.close();
    }

    /** A program in the verbs that begins a conversation and sends any bytes. */
    private final class Liar implements AutoCloseable {
        final ProtectionDomain domain = machine.context.allocateProtectionDomain();
        final CompletionQueue completions = machine.context.createCompletionQueue(512);
        final MemoryRegion memory = domain.allocate(64 * SIZE, AccessFlag.LOCAL_WRITE);
        final CmId id = machine.context.createId();
        final Hello theirs;
        private final WorkCompletion[] one = WorkCompletion.array(1);
        private int number;

        Liar(byte[] hello) {
            id.resolveAddress(null, address);
            id.createQueuePair(
                    domain,
                    QueuePairAttributes.builder(completions)
                            .maxInlineData(1_024)
                            .build());
            for (int i = 0; i < 64; i++) {
                Objects.requireNonNull(id.queuePair())
                        .postReceive(new ReceiveWorkRequest().id(i).add(memory, (long) i * SIZE, SIZE));
            }
            id.connect(ConnectionParameters.DEFAULT.withPrivateData(hello));
            theirs = Objects.requireNonNull(
                    Hello.decode(Objects.requireNonNull(id.event()).parameters().privateData()));
        }

        void send(byte[] bytes) {
            SendWorkRequest request = new SendWorkRequest().signaled(false).inlineData(ByteBuffer.wrap(bytes));
            while (!Objects.requireNonNull(id.queuePair()).tryPostSend(request)) {
                Thread.onSpinWait(); // an event loop sends
            }
        }

        byte[] frame(int type, int steps, byte[] body) {
            ByteBuffer to = ByteBuffer.allocate(Frame.HEADER + body.length);
            Frame.header(to, type, 0, 0, 0);
            to.put(body);
            number += steps;
            Frame.stamp(to, 0, theirs.session(), number, WINDOW);
            return to.array();
        }

        byte[] longFrame(long total, int token, int written, long... piece) {
            ByteBuffer body = ByteBuffer.allocate(Frame.LONG_BODY + (piece.length > 0 ? Frame.RETURN : 0));
            body.putLong(total).putInt(token).putInt(written);
            if (piece.length > 0) {
                body.putLong(piece[0]).putInt((int) piece[1]).putInt((int) piece[2]);
            }
            return frame(Frame.LONG, 1, body.array());
        }

        /** {@return the status of the next DONE} */
        int done(int token) {
            while (true) {
                assertThat(completions.await(one, Patience.LIMIT)).isEqualTo(1);
                assertThat(one[0].succeeded()).as(one[0].describe()).isTrue();
                if (one[0].opcode() == WorkCompletionOpcode.RECV) {
                    ByteBuffer got = memory.buffer().slice((int) one[0].id() * SIZE, one[0].byteLength());
                    assertThat(Frame.legal(got, 0, got.capacity())).isTrue();
                    if (Frame.type(got, 0) == Frame.DONE) {
                        assertThat(got.getInt(Frame.HEADER)).isEqualTo(token);
                        return got.getInt(Frame.HEADER + 4);
                    }
                }
            }
        }

        /** Waits until the server has ended the connection. */
        void ended() {
            do {
                assertThat(completions.await(one, Patience.LIMIT)).isEqualTo(1);
            } while (one[0].succeeded());
        }

        @Override
        public void close() {
            id.close();
            completions.close();
            memory.close();
            domain.close();
        }
    }

    @Test
    @DisplayName("loses the conversation if it sends more than it was granted")
    void tooMuch() {
        liar.send(liar.frame(Frame.SHORT, WINDOW + 1, new byte[] {1}));
        liar.ended();
    }

    @Test
    @DisplayName("gets a long message refused whose parts do not fit, that is too long, or was written nowhere")
    void longMessages() {
        liar.send(liar.longFrame(10, 1, 0, 0, 9, 5));
        assertThat(liar.done(1)).isEqualTo(1);
        liar.send(liar.longFrame(-1, 2, 0, 0, -1, 5));
        assertThat(liar.done(2)).isEqualTo(1);
        liar.send(liar.longFrame(Integer.MAX_VALUE, 3, 0, 0, Integer.MAX_VALUE, 5));
        assertThat(liar.done(3)).isEqualTo(2);
        liar.send(liar.longFrame(10, 4, 77));
        assertThat(liar.done(4)).isEqualTo(3);
        assertThat(server.buffers().taken()).isZero();
    }

    @Test
    @DisplayName("loses the conversation if its memory cannot be read")
    void noMemory() throws Exception {
        liar.send(liar.longFrame(10, 1, 0, 0x1000, 10, 0x55));
        liar.ended();
        while (server.buffers().taken() > 0) {
            Thread.onSpinWait(); // until the endpoint has heard of it, too
        }
    }

    @Test
    @DisplayName("has frames without sense dropped")
    void noSense() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 100; i++) {
            byte[] bytes = new byte[random.nextInt(1, 100)];
            random.nextBytes(bytes);
            liar.send(bytes);
            liar.send(liar.frame(Frame.DONE, 0, new byte[] {0, 0, 0, 1, 0, 0, 0, 0})); // of no message
            liar.send(liar.frame(6 + i % 10, 0, bytes));
        }
    }

    @Test
    @DisplayName("is refused if it asks for another service, or speaks another version")
    void refused() {
        for (byte[] hello :
                new byte[][] {new Hello(LIAR, SERVER + 1, WINDOW, 1, 1, 0, 0, 0).encoded(), {2, 0, 0, 0}, {}}) {
            assertThatThrownBy(() -> new Liar(hello))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.REJECTED));
        }
    }

    @Test
    @DisplayName("is refused if it begins the same conversation again")
    void again() {
        byte[] hello = new Hello(LIAR, SERVER, WINDOW, 0x1234, 1_400, 0, 0, 0).encoded();
        assertThatThrownBy(() -> new Liar(hello))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.REJECTED));
        assertThat(server.peers()).isOne();
    }
}
