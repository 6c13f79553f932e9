package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Send and Receive")
class SendAndReceiveTest {
    @EachWorld
    @DisplayName("A Send fills the peer's oldest receive and completes at both ends")
    void fills(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 100);
            pair.passive.receive(2, 100, 100);
            pair.active.write(0, "hello").send(7, 0, 5);

            WorkCompletion sent = pair.active.success();
            assertThat(sent.id()).isEqualTo(7);
            assertThat(sent.opcode()).isEqualTo(WorkCompletionOpcode.SEND);
            assertThat(sent.queuePairNumber()).isEqualTo(pair.active.queuePair.number());
            WorkCompletion received = pair.passive.success();
            assertThat(received.id()).isEqualTo(1);
            assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECV);
            assertThat(received.byteLength()).isEqualTo(5);
            assertThat(received.queuePairNumber()).isEqualTo(pair.passive.queuePair.number());
            assertThat(pair.passive.read(0, 5)).isEqualTo("hello");
        }
    }

    @EachWorld
    @DisplayName("Both sides may send at once, and long messages arrive whole")
    void longMessages(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            int length = Endpoint.MEMORY / 2;
            for (int i = 0; i < length; i++) {
                pair.active.memory.buffer().put(i, (byte) (i * 31));
                pair.passive.memory.buffer().put(i, (byte) (i * 17));
            }
            pair.active.receive(1, length, length);
            pair.passive.receive(2, length, length);
            pair.active.send(3, 0, length);
            pair.passive.send(4, 0, length);

            assertThat(pair.active.next(2)).allMatch(WorkCompletion::succeeded);
            assertThat(pair.passive.next(2)).allMatch(WorkCompletion::succeeded);
            for (int i = 0; i < length; i++) {
                assertThat(pair.active.memory.buffer().get(length + i)).isEqualTo((byte) (i * 17));
                assertThat(pair.passive.memory.buffer().get(length + i)).isEqualTo((byte) (i * 31));
            }
        }
    }

    @EachWorld
    @DisplayName("Scatter/gather elements are one message, on either side")
    void scatterGather(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest()
                    .add(pair.passive.memory, 500, 3)
                    .add(pair.passive.memory, 0, 0)
                    .add(pair.passive.memory, 100, 50));
            pair.active.write(10, "abcd").write(90, "efg");
            pair.active.queuePair.postSend(
                    new SendWorkRequest().add(pair.active.memory, 10, 4).add(pair.active.memory, 90, 3));

            pair.active.success();
            assertThat(pair.passive.success().byteLength()).isEqualTo(7);
            assertThat(pair.passive.read(500, 3)).isEqualTo("abc");
            assertThat(pair.passive.read(100, 4)).isEqualTo("defg");
        }
    }

    @EachWorld
    @DisplayName("Inline data is copied during the post, from elements or from any buffer")
    void inline(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world, wishes -> wishes.maxInlineData(64));
            pair.passive.receive(1, 0, 10);
            pair.passive.receive(2, 10, 10);
            pair.active.write(0, "early");
            pair.active.queuePair.postSend(
                    new SendWorkRequest().add(pair.active.memory, 0, 5).inline(true));
            pair.active.write(0, "XXXXX");
            ByteBuffer data = ByteBuffer.wrap("any buffer".getBytes(StandardCharsets.US_ASCII));
            data.position(4);
            pair.active.queuePair.postSend(new SendWorkRequest().inlineData(data));
            data.put(4, (byte) '!');

            pair.active.next(2);
            pair.passive.next(2);
            assertThat(pair.passive.read(0, 5)).isEqualTo("early");
            assertThat(pair.passive.read(10, 6)).isEqualTo("buffer");
            assertThat(data.position()).as("the buffer's position").isEqualTo(4);
        }
    }

    @EachWorld
    @DisplayName("An empty Send consumes a receive")
    void nothing(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest().id(5));
            pair.active.queuePair.postSend(new SendWorkRequest());

            WorkCompletion received = pair.passive.success();
            assertThat(received.id()).isEqualTo(5);
            assertThat(received.byteLength()).isZero();
        }
    }

    @EachWorld
    @DisplayName("An unsignalled Send is not reported, a later signalled one is")
    void unsignalled(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            for (int i = 0; i < 3; i++) {
                pair.passive.receive(i, i * 10, 10);
            }
            SendWorkRequest request = new SendWorkRequest();
            pair.active.queuePair.postSend(request.clear().id(1).signaled(false));
            pair.active.queuePair.postSend(request.clear().id(2).signaled(false));
            pair.active.queuePair.postSend(request.clear().id(3));

            assertThat(pair.active.success().id()).isEqualTo(3);
            assertThat(pair.passive.next(3)).extracting(WorkCompletion::id).containsExactly(0L, 1L, 2L);
            pair.active.nothing();
        }
    }

    @EachWorld
    @DisplayName("With signalAll every Send is reported")
    void signalAll(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world, wishes -> wishes.signalAll(true));
            pair.passive.receive(1, 0, 10);
            pair.active.queuePair.postSend(new SendWorkRequest().id(9).signaled(false));
            assertThat(pair.active.success().id()).isEqualTo(9);
        }
    }

    @EachWorld
    @DisplayName("A list is posted in one call, and completes in order")
    void list(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            int count = 50;
            ReceiveWorkRequest[] receives = new ReceiveWorkRequest[count];
            SendWorkRequest[] sends = new SendWorkRequest[count];
            for (int i = 0; i < count; i++) {
                receives[i] = new ReceiveWorkRequest().id(i).add(pair.passive.memory, i * 8L, 8);
                sends[i] = new SendWorkRequest().id(100 + i).add(pair.active.memory, i * 8L, 8);
                pair.active.memory.buffer().putLong(i * 8, i);
            }
            assertThat(pair.passive.queuePair.postReceive(receives, count)).isEqualTo(count);
            assertThat(pair.active.queuePair.postSend(sends, count)).isEqualTo(count);

            for (int i = 0; i < count; i++) {
                assertThat(pair.active.success().id()).isEqualTo(100 + i);
                assertThat(pair.passive.success().id()).isEqualTo(i);
                assertThat(pair.passive.memory.buffer().getLong(i * 8)).isEqualTo(i);
            }
        }
    }
}
