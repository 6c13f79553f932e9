package dev.jwarp.messaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.Progress;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A message endpoint")
class MessageEndpointTest {
    private static final int SERVER = 7;
    private static final Duration LONG = Patience.LIMIT;
    private static final int SERVICES = 16;
    private static final int MESSAGES = 300;

    static Stream<Arguments> ways() {
        List<Arguments> all = new ArrayList<>();
        for (QueuePairType carrier : QueuePairType.values()) {
            for (Progress progress : Progress.values()) {
                all.add(Arguments.of(carrier, progress));
            }
        }
        return all.stream();
    }

    /** A client and a server, each on a context of its own. */
    private static final class Two implements AutoCloseable {
        final Machine near;
        final Machine far;
        final StaticDirectory directory;
        final MessageEndpoint client;
        final MessageEndpoint server;

        Two(QueuePairType carrier, Progress progress) throws Exception {
            this(carrier, progress, EndpointOptions.of(0));
        }

        Two(QueuePairType carrier, Progress progress, EndpointOptions options) throws Exception {
            directory = new StaticDirectory(Map.of(SERVER, freeAddress()));
            near = new Machine(progress, Map.of());
            far = new Machine(progress, Map.of());
            server = MessageEndpoint.open(
                    far.context,
                    directory,
                    options.withService(SERVER).withCarriers(carrier).withTimeout(LONG));
            client = MessageEndpoint.open(near.context, directory, options.withCarriers(carrier));
        }

        @Override
        public void close() throws Exception {
            client.close();
            server.close();
            near.close();
            far.close();
        }
    }

    /** {@return an address of the host whose port most likely no one uses: outside of the ports that systems choose} */
    static InetSocketAddress freeAddress() {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(), ThreadLocalRandom.current().nextInt(10_000, 30_000));
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(Message message) {
        return StandardCharsets.UTF_8.decode(message.data().duplicate()).toString();
    }

    static long counter(MessageEndpoint at, String name) {
        return at.counters().stream()
                .filter(each -> each.name().equals(name))
                .mapToLong(Counter::value)
                .sum();
    }

    private static Message received(MessageEndpoint at) {
        return Objects.requireNonNull(at.receive(LONG), "no message came");
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("carries short messages both ways")
    void shortMessages(QueuePairType carrier, Progress progress) throws Exception {
        try (Two two = new Two(carrier, progress)) {
            for (int i = 0; i < 1_000; i++) {
                two.client.sendShort(SERVER, text("ping " + i));
                try (Message ping = received(two.server)) {
                    assertThat(text(ping)).isEqualTo("ping " + i);
                    assertThat(ping.source()).isEqualTo(two.client.service());
                    assertThat(ping.isLong()).isFalse();
                    two.server.sendShort(ping.source(), text("pong " + i));
                }
                try (Message pong = received(two.client)) {
                    assertThat(text(pong)).isEqualTo("pong " + i);
                    assertThat(pong.source()).isEqualTo(SERVER);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("answers calls, many at a time")
    void calls(QueuePairType carrier, Progress progress) throws Exception {
        try (Two two = new Two(carrier, progress)) {
            two.server.onMessage(call -> call.reply(text(text(call) + "!")));
            List<CompletableFuture<Message>> answers = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                answers.add(two.client.call(SERVER, text("call " + i), LONG));
            }
            for (int i = 0; i < answers.size(); i++) {
                try (Message answer = Patience.get(answers.get(i))) {
                    assertThat(text(answer)).isEqualTo("call " + i + "!");
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("carries long messages of any length, and gives their memory back")
    void longMessages(QueuePairType carrier, Progress progress) throws Exception {
        try (Two two = new Two(carrier, progress)) {
            SplittableRandom random = new SplittableRandom(1);
            for (int length : new int[] {0, 1, 1_400, 5_000, 65_536, 1_000_001, 20_000_000}) {
                byte[] bytes = new byte[length];
                random.nextBytes(bytes);
                MessageBuffer whole = two.client.buffers().allocate(length);
                whole.data().put(bytes).flip();
                CompletableFuture<Void> sent = two.client.sendLong(SERVER, whole);
                try (Message message = received(two.server)) {
                    assertThat(message.isLong()).isTrue();
                    byte[] got = new byte[message.data().remaining()];
                    message.data().get(got);
                    assertThat(got).isEqualTo(bytes);
                }
                Patience.get(sent);
                whole.close();
            }
            assertThat(two.client.buffers().taken()).isZero();
            assertThat(two.server.buffers().taken()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("writes a long reply into a return buffer")
    void returnBuffers(QueuePairType carrier, Progress progress) throws Exception {
        try (Two two = new Two(carrier, progress)) {
            two.server.onMessage(call -> {
                MessageBuffer answer = two.server.buffers().allocate(300_000);
                for (int i = 0; i < 300_000; i++) {
                    answer.data().put(i, (byte) (i * 7));
                }
                CompletableFuture<Void> unused = call.replyLong(answer).whenComplete((done, failure) -> answer.close());
            });
            for (int round = 0; round < 20; round++) {
                MessageBuffer question = two.client.buffers().allocate(10_000);
                MessageBuffer room = two.client.buffers().allocate(400_000);
                Message answer = Patience.get(two.client.callLong(SERVER, List.of(question), List.of(room), LONG));
                question.close();
                assertThat(answer.data().remaining()).isEqualTo(300_000);
                for (int i = 0; i < 300_000; i += 997) {
                    assertThat(answer.data().get(answer.data().position() + i)).isEqualTo((byte) (i * 7));
                }
                answer.close();
            }
            assertThat(counter(two.server, "messages_long_written")).isEqualTo(20);
            assertThat(two.client.buffers().taken()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("says that a service is not there")
    void notThere(QueuePairType carrier, Progress progress) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withTimeout(Duration.ofMillis(500));
        try (Two two = new Two(carrier, progress, options)) {
            MessageBuffer question = two.client.buffers().allocate(5_000);
            for (CompletableFuture<Message> call : List.of(
                    two.client.call(9, text("?"), LONG), two.client.callLong(9, List.of(question), List.of(), LONG))) {
                assertThatThrownBy(call::get)
                        .isInstanceOf(ExecutionException.class)
                        .cause()
                        .isInstanceOfSatisfying(
                                RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.NOT_FOUND));
            }
            two.server.close();
            CompletableFuture<Message> call = two.client.call(SERVER, text("?"), LONG);
            assertThatThrownBy(call::get).cause().isInstanceOf(RdmaException.class);
        }
    }

    /** {@return how many messages could be sent until there was no room for another} */
    private static int fill(MessageEndpoint client) {
        int[] sent = {0};
        assertThatThrownBy(() -> {
                    while (true) {
                        client.sendShort(SERVER, text("more " + sent[0]));
                        sent[0]++;
                    }
                })
                .isInstanceOf(RdmaException.class);
        return sent[0];
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("slows down senders whose messages the program does not take, and no one else")
    void backPressure(QueuePairType carrier, Progress progress) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withReceives(256, 8).withTimeout(Duration.ofSeconds(1));
        try (Two two = new Two(carrier, progress, options)) {
            assertThat(fill(two.client)).isLessThan(8 + Peer.MOST_PENDING + 2);
            try (MessageEndpoint other = MessageEndpoint.open(
                    two.near.context,
                    two.directory,
                    options.withCarriers(carrier).withTimeout(LONG))) {
                other.sendShort(SERVER, text("I am another"));
                Message message = received(two.server);
                while (message.source() != other.service()) {
                    message.close();
                    message = received(two.server);
                }
                message.close();
            }
        }
    }

    @Test
    @DisplayName("refuses a connection for whose messages it has no receives")
    void noRoom() throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withReceives(2 * (16 + Peer.UNNUMBERED), 16);
        try (Two two = new Two(QueuePairType.RC, Progress.THREADED, options);
                MessageEndpoint other =
                        MessageEndpoint.open(two.near.context, two.directory, options.withCarriers(QueuePairType.RC))) {
            two.server.onMessage(call -> call.reply(call.data()));
            Patience.get(two.client.call(SERVER, text("first"), LONG)).close();
            assertThatThrownBy(() -> Patience.get(other.call(SERVER, text("second"), LONG)))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.REJECTED))
                    .hasMessageContaining("no room for another peer");
        }
    }

    @Test
    @DisplayName("refuses a connection while messages of an ended one hold the receives")
    void heldMessages() throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withReceives(2 * (8 + 7 + Peer.UNNUMBERED), 8);
        try (Two two = new Two(QueuePairType.RC, Progress.THREADED, options);
                MessageEndpoint other =
                        MessageEndpoint.open(two.near.context, two.directory, options.withCarriers(QueuePairType.RC))) {
            List<Message> held = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                two.client.sendShort(SERVER, text("held"));
                held.add(received(two.server));
            }
            two.client.close();
            while (two.server.peers() > 0) {
                Thread.onSpinWait(); // until the server has heard of it
            }
            assertThatThrownBy(() -> Patience.get(other.call(SERVER, text("second"), LONG)))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.REJECTED));
            held.forEach(Message::close);
            two.server.onMessage(call -> call.reply(call.data()));
            Patience.get(other.call(SERVER, text("third"), LONG)).close();
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("replies when both sides hold as many calls of the other as they may")
    void fullOfCalls(QueuePairType carrier, Progress progress) throws Exception {
        int window = 8;
        EndpointOptions options = EndpointOptions.of(0).withReceives(64, window);
        try (Two two = new Two(carrier, progress, options)) {
            two.client.sendShort(SERVER, text("here I am"));
            int client;
            try (Message first = received(two.server)) {
                client = first.source();
            }
            List<CompletableFuture<Message>> answers = new ArrayList<>();
            for (int i = 0; i < window; i++) {
                answers.add(two.client.call(SERVER, text("down " + i), LONG));
                answers.add(two.server.call(client, text("up " + i), LONG));
            }
            List<Message> held = new ArrayList<>();
            for (int i = 0; i < window; i++) {
                held.add(received(two.client));
                held.add(received(two.server));
            }
            held.forEach(call -> call.reply(call.data()));
            for (CompletableFuture<Message> each : answers) {
                Patience.get(each).close();
            }
            held.forEach(Message::close);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("gets the return buffers of a call back that the reply did not use")
    void unusedReturns(QueuePairType carrier, Progress progress) throws Exception {
        try (Two two = new Two(carrier, progress)) {
            two.server.onMessage(call -> {
                if (text(call).endsWith("0")) {
                    MessageBuffer answer = two.server.buffers().allocate(50_000);
                    CompletableFuture<Void> unused =
                            call.replyLong(answer).whenComplete((done, failure) -> answer.close());
                } else {
                    call.reply(call.data());
                }
            });
            for (int i = 0; i < 40; i++) {
                List<MessageBuffer> room = List.of(
                        two.client.buffers().allocate(60_000),
                        two.client.buffers().allocate(60_000));
                try (Message answer = Patience.get(two.client.call(SERVER, text("call " + i), room, LONG))) {
                    assertThat(answer.isLong()).isEqualTo(i % 10 == 0);
                    while (two.client.buffers().taken() > (answer.isLong() ? 1 : 0)) {
                        Thread.onSpinWait(); // another thread gives them back
                    }
                }
            }
            assertThat(counter(two.server, "messages_long_written")).isEqualTo(4);
            assertThat(counter(two.client, "messages_calls")).isEqualTo(40);
            assertThat(counter(two.client, "messages_short_received")).isEqualTo(36);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    @DisplayName("gets the return buffers of a call back that there was no room to send")
    void unsentReturns(QueuePairType carrier, Progress progress) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withReceives(256, 8).withTimeout(Duration.ofSeconds(1));
        try (Two two = new Two(carrier, progress, options)) {
            while (isSent(two.client)) {
                // On a machine that stands still a second is over before the queue is full.
            }
        }
    }

    /** {@return whether there was room for a call; it has no reply} Its buffers are back in either case. */
    private static boolean isSent(MessageEndpoint client) throws Exception {
        fill(client);
        List<MessageBuffer> room = List.of(client.buffers().allocate(60_000));
        try (Message reply = Patience.get(client.call(SERVER, text("full"), room, Duration.ofSeconds(3)))) {
            throw new AssertionError("the server has replied: " + reply);
        } catch (RdmaException e) {
            while (client.buffers().taken() > 0) {
                Thread.onSpinWait(); // another thread may give them back
            }
            return String.valueOf(e.getMessage()).contains("has not replied");
        }
    }

    @Test
    @DisplayName("gets the return buffers of calls over UD back that have no reply")
    void unansweredReturns() throws Exception {
        try (Two two = new Two(QueuePairType.UD, Progress.THREADED)) {
            two.server.onMessage(Message::close);
            for (int i = 0; i < 2 * Frame.MOST_BUFFERS; i++) {
                List<MessageBuffer> room = List.of(two.client.buffers().allocate(60_000));
                assertThatThrownBy(() ->
                                Patience.get(two.client.call(SERVER, text("no reply"), room, Duration.ofMillis(50))))
                        .isInstanceOfSatisfying(
                                RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT));
            }
            while (two.client.buffers().taken() > 0) {
                Thread.onSpinWait(); // the last one
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RC", "RD"})
    @DisplayName("does not send a call that has ended before there was room for it")
    void endedCalls(QueuePairType carrier) throws Exception {
        int window = 8;
        try (Two two = new Two(carrier, Progress.THREADED, EndpointOptions.of(0).withReceives(64, window))) {
            for (int i = 0; i < window; i++) {
                two.client.sendShort(SERVER, text("held"));
            }
            MessageBuffer question = two.client.buffers().allocate(5_000);
            for (CompletableFuture<Message> call : List.of(
                    two.client.call(SERVER, text("ended"), Duration.ofMillis(1)),
                    two.client.callLong(SERVER, List.of(question), List.of(), Duration.ofMillis(1)))) {
                assertThatThrownBy(() -> Patience.get(call)).isInstanceOf(RdmaException.class);
            }
            question.close();
            two.client.sendShort(SERVER, text("last"));
            for (int i = 0; i <= window; i++) {
                try (Message message = received(two.server)) {
                    assertThat(text(message)).isEqualTo(i < window ? "held" : "last");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("goes on after a long reply into a return buffer of a call that has ended")
    void lateLongReply(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier, Progress.THREADED)) {
            List<MessageBuffer> room = List.of(two.client.buffers().allocate(60_000));
            CompletableFuture<Message> late = two.client.call(SERVER, text("late"), room, Duration.ofSeconds(1));
            try (Message call = two.server.receive(LONG)) {
                assertThatThrownBy(() -> Patience.get(late)).isInstanceOf(RdmaException.class);
                MessageBuffer answer = two.server.buffers().allocate(50_000);
                CompletableFuture<Void> replied =
                        Objects.requireNonNull(call).replyLong(answer).handle((done, failure) -> null);
                Patience.get(replied);
                answer.close();
            }
            two.server.onMessage(call -> call.reply(call.data()));
            Patience.get(two.client.call(SERVER, text("next"), LONG)).close();
            assertThat(counter(two.client, "messages_conversations_failed")).isZero();
            assertThat(counter(two.server, "messages_conversations_failed")).isZero();
        }
    }

    @Test
    @DisplayName("leaves a connection on which too many calls stay without a reply; late replies are taken until then")
    void lateReplies() throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withReceives(64, 8);
        try (Two two = new Two(QueuePairType.RC, Progress.THREADED, options)) {
            two.client.sendShort(SERVER, text("the set-up takes a while"));
            received(two.server).close();
            for (int round = 0; round < 10; round++) {
                CompletableFuture<Message> late = two.client.call(SERVER, text("late"), Duration.ofMillis(1));
                try (Message call = received(two.server)) {
                    assertThatThrownBy(() -> Patience.get(late))
                            .isInstanceOfSatisfying(
                                    RdmaException.class,
                                    e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT));
                    call.reply(call.data());
                }
                CompletableFuture<Message> inTime = two.client.call(SERVER, text("in time"), LONG);
                try (Message call = received(two.server)) {
                    call.reply(call.data());
                }
                Patience.get(inTime).close(); // the late reply came before this one
            }
            for (int i = 0; i < 5; i++) {
                CompletableFuture<Message> never = two.client.call(SERVER, text("never"), Duration.ofMillis(1));
                assertThatThrownBy(() -> Patience.get(never)).isInstanceOf(RdmaException.class);
            }
            while (two.client.peers() > 0) {
                Thread.onSpinWait(); // until the timer has counted the last one
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends a conversation with a peer that is silent, also if each call ends before that")
    void silence(QueuePairType carrier) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withTimeout(Duration.ofMillis(500));
        try (Two two = new Two(carrier, Progress.INLINE, options)) {
            two.server.onMessage(call -> call.reply(call.data()));
            for (boolean alive = false; !alive; ) { // on a busy machine half a second is short
                try {
                    Patience.get(two.client.call(SERVER, text("alive"), LONG)).close();
                    alive = true;
                } catch (RdmaException e) {
                    assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT);
                }
            }
            two.far.stop();
            CompletableFuture<Message> call = two.client.call(SERVER, text("dead"), Duration.ofMillis(10));
            assertThatThrownBy(() -> Patience.get(call)).isInstanceOf(RdmaException.class);
            while (two.client.peers() > 0) {
                Thread.onSpinWait(); // until the timer has ended the conversation
            }
        }
    }

    @Test
    @DisplayName("sends short messages that wait before it is closed")
    void sentBeforeClose() throws Exception {
        try (Two two = new Two(QueuePairType.RD, Progress.THREADED)) {
            BlockingQueue<String> got = new LinkedBlockingQueue<>();
            two.server.onMessage(message -> got.add(text(message)));
            two.client.sendShort(SERVER, text("first words"));
            assertThat(got.take()).isEqualTo("first words"); // the set-up can take longer than a close waits
            for (int i = 0; i < 40; i++) {
                two.client.sendShort(SERVER, text("last words " + i));
            }
            two.client.close();
            for (int i = 0; i < 40; i++) {
                assertThat(got.take()).isEqualTo("last words " + i);
            }
        }
    }

    @Test
    @DisplayName("ends a region on another thread if its end has to wait for a thread of the context")
    void regionThatWaits() throws Exception {
        try (Two two = new Two(QueuePairType.RC, Progress.THREADED)) {
            List<Thread> tried = new ArrayList<>();
            CompletableFuture<Thread> ended = new CompletableFuture<>();
            two.client.enter();
            two.client.after(() -> {
                tried.add(Thread.currentThread());
                if (tried.size() == 1) {
                    throw new RdmaException(RdmaErrorCode.WRONG_STATE, "This call would have to wait.");
                }
                ended.complete(Thread.currentThread());
            });
            two.client.leave();
            assertThat(Patience.get(ended)).isNotEqualTo(tried.get(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("makes room in its pool while a handler keeps a thread of the context")
    void poolWhileBusy(QueuePairType carrier) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withMemory(64 << 10, false);
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        try (Two two = new Two(carrier, Progress.THREADED, options)) {
            List<MessageBuffer> small = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                small.add(two.client.buffers().allocate(16 << 10));
            }
            small.forEach(MessageBuffer::close);
            two.client.onMessage(message -> {
                handling.countDown();
                awaitQuietly(over);
            });
            two.server.onMessage(message -> two.server.sendShort(message.source(), text("back")));
            for (boolean there = false; !there; there = handling.await(100, TimeUnit.MILLISECONDS)) {
                two.client.sendShort(SERVER, text("there")); // over UD it can be lost
            }
            try {
                Patience.get(CompletableFuture.runAsync(
                        () -> two.client.buffers().allocate(64 << 10).close(), task -> new Thread(task).start()));
            } finally {
                over.countDown();
            }
        }
    }

    @Test
    @DisplayName("goes on after an Error of a handler")
    void errorOfHandler() throws Exception {
        try (Two two = new Two(QueuePairType.UD, Progress.THREADED)) {
            AtomicInteger count = new AtomicInteger();
            two.server.onMessage(call -> {
                if (count.getAndIncrement() == 0) {
                    throw new AssertionError("of this test");
                }
                call.reply(call.data());
            });
            CompletableFuture<Message> first = two.client.call(SERVER, text("first"), LONG);
            while (count.get() == 0) {
                Thread.onSpinWait();
            }
            Patience.get(two.client.call(SERVER, text("second"), LONG)).close();
            first.cancel(false);
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("begins conversations with many services at once, while others are busy")
    void manyServices(QueuePairType carrier) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withCarriers(carrier).withTimeout(LONG);
        Directory directory = new LoopbackDirectory();
        CountDownLatch arrived = new CountDownLatch(SERVICES * MESSAGES);
        try (Machine near = new Machine(Progress.THREADED, Map.of());
                Machine far = new Machine(Progress.THREADED, Map.of());
                MessageEndpoint client = MessageEndpoint.open(near.context, directory, options)) {
            List<MessageEndpoint> servers = new ArrayList<>();
            List<CompletableFuture<Void>> senders = new ArrayList<>();
            try {
                for (int id = 1; id <= SERVICES; id++) {
                    servers.add(MessageEndpoint.open(far.context, directory, options.withService(id)));
                    servers.get(id - 1).onMessage(message -> arrived.countDown());
                }
                for (MessageEndpoint each : servers) {
                    senders.add(CompletableFuture.runAsync(
                            () -> {
                                for (int i = 0; i < MESSAGES; i++) {
                                    client.sendShort(each.service(), text("many"));
                                }
                            },
                            task -> new Thread(task, "sender").start()));
                }
                for (CompletableFuture<Void> each : senders) {
                    Patience.get(each);
                }
                if (carrier != QueuePairType.UD) { // where some can be lost
                    assertThat(arrived.await(Patience.SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                }
            } finally {
                servers.forEach(MessageEndpoint::close);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends conversations that are not used, if asked, and begins them again")
    void idle(QueuePairType carrier) throws Exception {
        EndpointOptions options = EndpointOptions.of(0).withIdle(Duration.ofMillis(100));
        try (Two two = new Two(carrier, Progress.THREADED, options)) {
            for (int i = 0; i < 3; i++) {
                AtomicInteger answered = new AtomicInteger();
                while (answered.get() == 0) { // a call on a slow machine may meet the end of a conversation
                    CompletableFuture<Void> unused = two.client
                            .call(SERVER, text("again"), LONG)
                            .thenAccept(answer -> {
                                answer.close();
                                answered.incrementAndGet();
                            });
                    try (Message question = two.server.receive(Duration.ofSeconds(1))) {
                        if (question != null) {
                            assertThat(two.client.receive(Duration.ofMillis(300)))
                                    .isNull();
                            assertThat(two.server.peers()).isPositive();
                            question.reply(text("here"));
                        }
                    }
                }
                while (two.client.peers() > 0 || two.server.peers() > 0) {
                    Thread.onSpinWait();
                }
            }
            assertThat(counter(two.client, "messages_conversations_failed")).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UD", "RD"})
    @DisplayName("ends no conversation as unused while the program has a long message")
    void idleWithLong(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier, Progress.THREADED)) {
            BlockingQueue<Message> questions = new LinkedBlockingQueue<>();
            two.client.onMessage(question -> questions.add(question.keep()));
            two.server.onMessage(message -> {
                MessageBuffer question = two.server.buffers().allocate(5_000);
                CompletableFuture<Void> unused = two.server
                        .callLong(message.source(), List.of(question), List.of(), LONG)
                        .thenAccept(reply -> {
                            question.close();
                            two.server.sendShort(reply.source(), reply.data());
                        });
            });
            MessageBuffer room = two.client.buffers().allocate(5_000);
            MessageBuffer message = two.client.buffers().allocate(10);
            CompletableFuture<Void> sent = two.client.sendLong(SERVER, List.of(message), List.of(room));
            try (Message question = questions.take()) {
                assertThat(counter(two.server, "messages_long_written")).isOne();
                Peer peer = question.from();
                for (int i = 0; i < 5; i++) {
                    two.client.endIdle();
                }
                assertThat(peer.state).isEqualTo(Peer.State.READY);
                question.reply(text("here"));
            }
            try (Message last = questions.take()) {
                assertThat(text(last)).isEqualTo("here");
            }
            Patience.get(sent);
            message.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ends no conversation as unused that has just carried a reply")
    void idleAfterReply(QueuePairType carrier) throws Exception {
        try (Two two = new Two(carrier, Progress.THREADED)) {
            CompletableFuture<Message> call = two.client.call(SERVER, text("slow"), LONG);
            try (Message question = received(two.server)) {
                two.server.endIdle();
                two.server.endIdle();
                question.reply(text("at last"));
            }
            Patience.get(call).close();
            two.server.endIdle();
            assertThat(two.server.peers()).isOne();
        }
    }

    @Test
    @DisplayName("has so many peers; then the one that was silent longest gives way")
    void manyPeers() throws Exception {
        try (Two two = new Two(QueuePairType.RC, Progress.THREADED)) {
            MessageEndpoint endpoint = two.server;
            endpoint.enter();
            try {
                Peer first = endpoint.newPeer(1);
                for (int i = 1; i < 1 << 14; i++) {
                    endpoint.newPeer(1 + i);
                }
                assertThat(first.state).isEqualTo(Peer.State.SETTING_UP);
                endpoint.newPeer(20_000);
                assertThat(first.state).isEqualTo(Peer.State.GONE);
            } finally {
                endpoint.leave();
            }
        }
    }
}
