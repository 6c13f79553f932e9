package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("With faults")
class FaultsTest {
    private static final int SERVER = 7;
    private static final int CALLS = Whole.or(100, 300);
    private static final int LONGS = Whole.or(10, 20);
    private static final int LENGTH = 100_000;

    /** Calls that got lost end after this time. */
    private static final Duration LOST = Duration.ofSeconds(3);

    /** Two ends whose datagrams get lost; ends that fail do so soon. */
    private static final class Two implements AutoCloseable {
        final Machine near;
        final Machine far;
        final MessageEndpoint client;
        final MessageEndpoint server;

        Two(QueuePairType carrier, String faults, Duration timeout) throws Exception {
            StaticDirectory directory = new StaticDirectory(Map.of(SERVER, MessageEndpointTest.freeAddress()));
            near = new Machine(Progress.THREADED, Map.of("jwarp.udp.inject", faults));
            far = new Machine(Progress.THREADED, Map.of("jwarp.udp.inject", faults));
            EndpointOptions options =
                    EndpointOptions.of(0).withCarriers(carrier).withTimeout(timeout);
            server = MessageEndpoint.open(far.context, directory, options.withService(SERVER));
            client = MessageEndpoint.open(near.context, directory, options);
        }

        @Override
        public void close() throws Exception {
            client.close();
            server.close();
            near.close();
            far.close();
        }
    }

    static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    static void fill(ByteBuffer bytes, int seed) {
        bytes.putInt(0, seed);
        for (int i = 4; i < bytes.limit(); i++) {
            bytes.put(i, (byte) (i * 31 + seed));
        }
    }

    /** {@return the seed of bytes that are as {@link #fill} made them} */
    static int checked(ByteBuffer bytes) {
        ByteBuffer got = bytes.slice();
        int seed = got.getInt(0);
        for (int i = 4; i < got.limit(); i++) {
            if (got.get(i) != (byte) (i * 31 + seed)) {
                throw new AssertionError("byte " + i + " of message " + seed + " is wrong");
            }
        }
        return seed;
    }

    /** Calls until one is answered, because the set-up of the conversation can lose datagrams, too. */
    private static void begin(Two two) throws Exception {
        for (int number = CALLS; ; number++) {
            ByteBuffer question = ByteBuffer.allocate(1_000);
            fill(question, number);
            try {
                Patience.get(two.client.call(SERVER, question, LOST)).close();
                return;
            } catch (RdmaException e) {
                assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"UD,1", "UD,2", "RD,3"})
    @DisplayName("each call ends, and none is carried out twice")
    void calls(QueuePairType carrier, int seed) throws Exception {
        try (Two two = new Two(carrier, "loss=20%,duplicate=10%,reorder=10%,seed=" + seed, Patience.LIMIT)) {
            Map<Integer, Boolean> seen = new ConcurrentHashMap<>();
            Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
            two.server.onMessage(call -> {
                if (seen.put(call.data().getInt(call.data().position()), true) != null) {
                    wrong.add(new AssertionError("a call came twice"));
                }
                call.reply(call.data());
            });
            begin(two);
            List<CompletableFuture<Message>> answers = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                ByteBuffer question = ByteBuffer.allocate(1_000);
                fill(question, i);
                Duration limit = carrier == QueuePairType.UD ? LOST : Patience.LIMIT;
                answers.add(two.client.call(SERVER, question, limit));
            }
            int answered = 0;
            for (int i = 0; i < CALLS; i++) {
                try (Message answer = Patience.get(answers.get(i))) {
                    assertThat(checked(answer.data())).isEqualTo(i);
                    answered++;
                } catch (RdmaException e) {
                    assertThat(carrier)
                            .as("a call over %s failed: %s", carrier, e)
                            .isEqualTo(QueuePairType.UD);
                }
            }
            assertThat(wrong).isEmpty();
            assertThat(answered).isGreaterThan(CALLS / 10);
        }
    }

    @ParameterizedTest
    @CsvSource({"UD,1", "UD,2", "RD,3"})
    @DisplayName("each long message arrives whole and once, or fails; no buffer is lost")
    void longMessages(QueuePairType carrier, int seed) throws Exception {
        try (Two two = new Two(carrier, "loss=5%,duplicate=2%,reorder=5%,seed=" + seed, Patience.LIMIT)) {
            Map<Integer, Boolean> seen = new ConcurrentHashMap<>();
            Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
            two.server.onMessage(message -> {
                try {
                    if (seen.put(checked(message.data()), true) != null) {
                        wrong.add(new AssertionError("a message came twice"));
                    }
                } catch (Throwable e) {
                    wrong.add(e);
                }
            });
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < LONGS; i++) {
                MessageBuffer buffer = two.client.buffers().allocate(LENGTH);
                fill(buffer.data(), i);
                sent.add(two.client.sendLong(SERVER, buffer).whenComplete((done, failure) -> buffer.close()));
            }
            for (int i = 0; i < LONGS; i++) {
                try {
                    Patience.get(sent.get(i));
                    int arrived = i;
                    await(() -> seen.containsKey(arrived) || !wrong.isEmpty()); // the handler may be on its way
                } catch (RdmaException e) {
                    assertThat(carrier)
                            .as("a message over %s failed: %s", carrier, e)
                            .isEqualTo(QueuePairType.UD);
                }
            }
            assertThat(wrong).isEmpty();
            await(() ->
                    two.client.buffers().taken() == 0 && two.server.buffers().taken() == 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"UD,1", "RD,2"})
    @DisplayName("long replies are written or read, whole")
    void replies(QueuePairType carrier, int seed) throws Exception {
        try (Two two = new Two(carrier, "loss=5%,duplicate=2%,reorder=5%,seed=" + seed, Patience.LIMIT)) {
            two.server.onMessage(call -> {
                MessageBuffer answer = two.server.buffers().allocate(LENGTH);
                fill(answer.data(), call.data().getInt(call.data().position()));
                CompletableFuture<Void> unused = call.replyLong(answer).whenComplete((done, failure) -> answer.close());
            });
            for (int i = 0; i < LONGS; i++) {
                MessageBuffer question = two.client.buffers().allocate(4);
                question.data().putInt(0, i);
                MessageBuffer room = two.client.buffers().allocate(LENGTH);
                CompletableFuture<Message> call =
                        two.client.callLong(SERVER, List.of(question), List.of(room), Duration.ofSeconds(20));
                try (Message answer = Patience.get(call)) {
                    assertThat(checked(answer.data())).isEqualTo(i);
                }
                question.close();
            }
            await(() ->
                    two.client.buffers().taken() == 0 && two.server.buffers().taken() == 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a long message is sent again to the next instance of the service, if asked")
    void atLeastOnce(QueuePairType carrier) throws Exception {
        while (!reachesNext(carrier)) {
            // The first instance has received the message at its end.
        }
    }

    /** {@return whether the first instance of the service ends without the message, so that the next one gets it} */
    private static boolean reachesNext(QueuePairType carrier) throws Exception {
        StaticDirectory directory = new StaticDirectory(Map.of(SERVER, MessageEndpointTest.freeAddress()));
        EndpointOptions options = EndpointOptions.of(0).withCarriers(carrier).withTimeout(Duration.ofSeconds(2));
        Machine near = new Machine(Progress.THREADED, Map.of());
        boolean late;
        try (MessageEndpoint client = MessageEndpoint.open(near.context, directory, options)) {
            MessageBuffer buffer = client.buffers().allocate(1_000_000);
            fill(buffer.data(), 5);
            Machine first = new Machine(Progress.INLINE, Map.of());
            MessageEndpoint dies = MessageEndpoint.open(first.context, directory, options.withService(SERVER));
            Patience.get(client.sendLong(SERVER, client.buffers().allocate(4)));
            first.stop(); // it is silent from now on
            CompletableFuture<Void> sent = client.sendLong(SERVER, Patience.LIMIT, buffer);
            dies.close();
            first.close();
            late = MessageEndpointTest.counter(dies, "messages_long_received") > 1;
            Machine second = new Machine(Progress.THREADED, Map.of());
            try (MessageEndpoint next = MessageEndpoint.open(second.context, directory, options.withService(SERVER))) {
                Patience.get(sent);
                if (!late) {
                    try (Message message = Objects.requireNonNull(next.receive(Patience.LIMIT))) {
                        assertThat(checked(message.data())).isEqualTo(5);
                    }
                }
            }
            second.close();
            buffer.close();
        }
        near.close();
        return !late;
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("everything ends when the peer dies in the middle, and the buffers are free")
    void death(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier, "", Duration.ofSeconds(2))) {
            List<CompletableFuture<?>> ends = new ArrayList<>();
            CompletableFuture<Void> some = new CompletableFuture<>();
            two.server.onMessage(message -> some.complete(null));
            for (int i = 0; i < LONGS; i++) {
                MessageBuffer buffer = two.client.buffers().allocate(1_000_000);
                MessageBuffer room = two.client.buffers().allocate(10);
                List<MessageBuffer> returns = i < 8 ? List.of(room) : List.of();
                if (i >= 8) {
                    room.close();
                }
                ends.add(two.client
                        .sendLong(SERVER, List.of(buffer), returns)
                        .whenComplete((done, failure) -> buffer.close()));
            }
            ends.add(two.client.call(SERVER, ByteBuffer.allocate(8), Patience.LIMIT));
            // On a machine that stands still the sends may have ended before one has arrived.
            CompletableFuture<?> allEnded = CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
            Patience.get(CompletableFuture.anyOf(some, allEnded.handle((done, failure) -> true)));
            two.far.context.close();
            for (CompletableFuture<?> each : ends) {
                try {
                    Patience.get(each);
                } catch (RdmaException e) {
                    assertThat(e).hasMessageContaining("service 7");
                }
            }
            await(() -> two.client.buffers().taken() == 0);
        }
    }

    @Test
    @DisplayName("a call over UD ends in its time though the service has no memory to read its long question")
    void notRead() throws Exception {
        try (Two two = new Two(QueuePairType.UD, "", Patience.LIMIT)) {
            two.server.onMessage(call -> call.reply(ByteBuffer.allocate(1)));
            begin(two);
            List<MessageBuffer> all = new ArrayList<>();
            for (long left = two.server.options().memory(); left > 0; left -= 1 << 20) {
                all.add(two.server.buffers().allocate(1 << 20));
            }
            MessageBuffer question = two.client.buffers().allocate(LENGTH);
            for (int i = 0; i < Peer.MOST_LONG; i++) {
                CompletableFuture<Message> call =
                        two.client.callLong(SERVER, List.of(question), List.of(), Duration.ofMillis(200));
                assertThatThrownBy(() -> Patience.get(call))
                        .isInstanceOfSatisfying(
                                RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT));
            }
            all.forEach(MessageBuffer::close);
            Patience.get(two.client.callLong(SERVER, List.of(question), List.of(), Patience.LIMIT))
                    .close();
            question.close();
            assertThat(two.client.peers()).isOne();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "RD"})
    @DisplayName("a message fails whose buffers cannot be exposed, and no other one")
    void notExposed(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier, "", Patience.LIMIT)) {
            two.server.onMessage(message -> {
                if (message.isCall()) {
                    message.reply(message.data());
                }
            });
            begin(two);
            Peer peer = Objects.requireNonNull(two.client.current(SERVER));
            AddressHandle right = peer.handle;
            MessageBuffer question = two.client.buffers().allocate(LENGTH);
            List<CompletableFuture<Message>> calls = new ArrayList<>();
            two.client.enter(); // no frame is sent meanwhile
            peer.handle = Objects.requireNonNull(two.server.current(two.client.service())).handle;
            for (int i = 0; i < Peer.MOST_LONG; i++) {
                List<MessageBuffer> room = List.of(two.client.buffers().allocate(10));
                calls.add(two.client.call(SERVER, ByteBuffer.allocate(8), room, Patience.LIMIT));
                List<MessageBuffer> more = List.of(two.client.buffers().allocate(10));
                calls.add(two.client.callLong(SERVER, List.of(question), more, Patience.LIMIT));
            }
            peer.handle = right;
            two.client.leave();
            for (CompletableFuture<Message> each : calls) {
                assertThatThrownBy(() -> Patience.get(each))
                        .isInstanceOfSatisfying(
                                RdmaException.class,
                                e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT));
            }
            Patience.get(two.client.sendLong(SERVER, question));
            question.close();
            await(() -> two.client.buffers().taken() == 0);
            assertThat(two.client.current(SERVER)).isSameAs(peer);
        }
    }
}
