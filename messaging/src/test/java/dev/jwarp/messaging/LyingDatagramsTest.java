package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.ResolveParameters;
import dev.jwarp.verbs.ResolvedService;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A peer that lies, or is silent, over datagrams")
class LyingDatagramsTest {
    private static final int SERVER = 7;
    private static final int LIAR = 99;
    private static final int SIZE = 2_048;
    private static final int RECEIVES = 32;
    private static final int WINDOW = 16;

    private final Machine machine = new Machine(Progress.THREADED, Map.of());
    private final LoopbackDirectory directory = new LoopbackDirectory();

    @AfterEach
    void close() throws Exception {
        machine.close();
    }

    private MessageEndpoint server(QueuePairType carrier, Duration timeout) {
        return MessageEndpoint.open(
                machine.context,
                directory,
                EndpointOptions.of(SERVER).withCarriers(carrier).withTimeout(timeout));
    }

    /** A program in the verbs that begins a conversation and sends any frames. */
    private final class Liar implements AutoCloseable {
        final ProtectionDomain domain = machine.context.allocateProtectionDomain();
        final CompletionQueue completions = machine.context.createCompletionQueue(512);
        final MemoryRegion memory = domain.allocate(RECEIVES * SIZE, AccessFlag.LOCAL_WRITE);
        final InetSocketAddress server;
        final DatagramQueuePair pair;
        private final WorkCompletion[] one = WorkCompletion.array(1);

        Liar(QueuePairType carrier, MessageEndpoint to) {
            server = to.place().address();
            pair = domain.createDatagramQueuePair(
                    carrier,
                    QueuePairAttributes.builder(completions)
                            .maxReceiveWorkRequests(RECEIVES)
                            .maxInlineData(1_024)
                            .build(),
                    DatagramAttributes.builder(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                            .build());
            for (int i = 0; i < RECEIVES; i++) {
                pair.postReceive(new ReceiveWorkRequest().id(i).add(memory, (long) i * SIZE, SIZE));
            }
        }

        ResolvedService begin(int session) {
            Hello hello = new Hello(
                    LIAR,
                    SERVER,
                    WINDOW,
                    session,
                    1_400,
                    pair.number(),
                    pair.key(),
                    pair.localAddress().getPort());
            return machine.context.resolve(
                    server,
                    0x6a77_4d53_4700_0000L | SERVER,
                    ResolveParameters.DEFAULT.withTypes(pair.type()).withPrivateData(hello.encoded()));
        }

        void send(ResolvedService to, int number, byte... text) {
            ByteBuffer frame = ByteBuffer.allocate(Frame.HEADER + text.length);
            Frame.header(frame, Frame.SHORT, 0, 0, 0);
            frame.put(text).flip();
            Frame.stamp(frame, 0, session(to), number, WINDOW);
            try (AddressHandle handle = pair.createAddressHandle(to)) {
                pair.postSend(new SendWorkRequest().inlineData(frame).destination(handle));
                assertThat(next(WorkCompletionOpcode.SEND).succeeded()).isTrue();
            }
        }

        private WorkCompletion next(WorkCompletionOpcode opcode) {
            do {
                assertThat(completions.await(one, Patience.LIMIT)).isEqualTo(1);
            } while (one[0].opcode() != opcode);
            return one[0];
        }

        /** {@return the type of the next frame} */
        int received(int session) {
            WorkCompletion got = next(WorkCompletionOpcode.RECV);
            ByteBuffer frame = memory.buffer().slice((int) got.id() * SIZE, got.byteLength());
            assertThat(frame.getInt(Frame.SESSION_AT)).isEqualTo(session);
            return Frame.type(frame, 0);
        }

        @Override
        public void close() {
            pair.close();
            completions.close();
            memory.close();
            domain.close();
        }
    }

    private static int session(ResolvedService answer) {
        return Objects.requireNonNull(Hello.decode(answer.privateData())).session();
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "RD"})
    @DisplayName("hears that the conversation has ended because it does not answer")
    void silent(QueuePairType carrier) {
        try (MessageEndpoint server = server(carrier, Duration.ofMillis(300));
                Liar liar = new Liar(carrier, server)) {
            liar.begin(0x1234);
            try {
                server.sendShort(LIAR, ByteBuffer.allocate(1));
                CompletableFuture<Message> unused = server.call(LIAR, ByteBuffer.allocate(1), Patience.LIMIT);
            } catch (RdmaException e) { // on a machine that stands still for a while
                assertThat(e.code()).isEqualTo(RdmaErrorCode.NOT_FOUND);
            }
            int type = liar.received(0x1234);
            while (type != Frame.BYE) {
                type = liar.received(0x1234);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "RD"})
    @DisplayName("hears that the service has closed")
    void closed(QueuePairType carrier) {
        for (boolean told = false; !told; ) { // on a machine that stands still for a second, it is not
            MessageEndpoint server = server(carrier, Patience.LIMIT);
            try (Liar liar = new Liar(carrier, server)) {
                liar.begin(0x1234);
                server.close();
                told = liar.completions.await(WorkCompletion.array(1), Duration.ofSeconds(1)) > 0;
            }
        }
    }

    @Test
    @DisplayName("has frames dropped over UD whose numbers it was not granted, because they may be late")
    void late() {
        try (MessageEndpoint server = server(QueuePairType.UD, Patience.LIMIT);
                Liar liar = new Liar(QueuePairType.UD, server)) {
            ResolvedService there = liar.begin(0x1234);
            liar.send(there, WINDOW + 1, (byte) 1);
            liar.send(there, 1, (byte) 2);
            try (Message got = Objects.requireNonNull(server.receive(Patience.LIMIT))) {
                assertThat(got.data().get()).isEqualTo((byte) 2);
            }
            assertThat(server.peers()).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "RD"})
    @DisplayName("gets the same answer when it asks again, and another conversation for another session")
    void again(QueuePairType carrier) {
        try (MessageEndpoint server = server(carrier, Patience.LIMIT);
                Liar liar = new Liar(carrier, server)) {
            int session = session(liar.begin(0x1234));
            assertThat(session(liar.begin(0x1234))).isEqualTo(session);
            assertThat(server.peers()).isOne();
            assertThat(session(liar.begin(0x1235))).isNotEqualTo(session);
            assertThat(server.peers()).isEqualTo(2);
        }
    }
}
