package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("Send and Receive over datagrams")
class DatagramSendTest {
    private static final int MESSAGE = 64 << 10;

    @EachDatagramWorld
    @DisplayName("A new queue pair is in RTS, and its address is known")
    void ready(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.on(world, 0);

            assertThat(side.queuePair.state()).isEqualTo(QueuePairState.RTS);
            assertThat(side.queuePair.localAddress().getPort()).isPositive();
            assertThat(side.queuePair.number()).isBetween(16, 0xff_fffe);
            assertThat(side.queuePair.query().localAddress()).isEqualTo(side.queuePair.localAddress());
            assertThat(side.queuePair.receiveBuffer()).isPositive();
        }
    }

    @EachDatagramWorld
    @DisplayName("A Send fills the oldest receive, and the completion has its source")
    void fills(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide receiver = DatagramSide.on(world, 1);
            receiver.receive(1, 0, 100);
            receiver.receive(2, 100, 100);
            sender.write(0, "hello").send(7, sender.to(receiver), 0, 5);

            WorkCompletion sent = sender.success();
            assertThat(sent.id()).isEqualTo(7);
            assertThat(sent.opcode()).isEqualTo(WorkCompletionOpcode.SEND);
            assertThat(sent.hasSource()).isFalse();
            WorkCompletion received = receiver.success();
            assertThat(received.id()).isEqualTo(1);
            assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECV);
            assertThat(received.byteLength()).isEqualTo(5);
            assertThat(received.queuePairNumber()).isEqualTo(receiver.queuePair.number());
            assertThat(received.source()).isEqualTo(sender.queuePair.localAddress());
            assertThat(received.sourceQueuePairNumber()).isEqualTo(sender.queuePair.number());
            assertThat(received.sourcePort())
                    .isEqualTo(sender.queuePair.localAddress().getPort());
            assertThat(receiver.read(0, 5)).isEqualTo("hello");
        }
    }

    @EachDatagramWorld
    @DisplayName("Messages of many datagrams arrive whole, in both directions at once")
    void longMessages(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide left = DatagramSide.on(world, 0).pattern(0, MESSAGE);
            DatagramSide right = DatagramSide.on(world, 1).pattern(0, MESSAGE);
            left.receive(1, MESSAGE, MESSAGE);
            right.receive(2, MESSAGE, MESSAGE);
            left.send(3, left.to(right), 0, MESSAGE);
            right.send(4, right.to(left), 0, MESSAGE);

            assertThat(left.next(2)).allMatch(WorkCompletion::succeeded);
            assertThat(right.next(2)).allMatch(WorkCompletion::succeeded);
            for (int i = 0; i < MESSAGE; i++) {
                assertThat(left.memory.buffer().get(MESSAGE + i)).isEqualTo(DatagramSide.octet(i));
                assertThat(right.memory.buffer().get(MESSAGE + i)).isEqualTo(DatagramSide.octet(i));
            }
        }
    }

    @EachDatagramWorld
    @DisplayName("A Send that finds no receive is dropped and counted, and nothing else happens")
    void noReceive(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide receiver = DatagramSide.on(world, 1);
            AddressHandle peer = sender.to(receiver);
            long before = receiver.counter("no_recv_wr");
            sender.send(1, peer, 0, 10);
            sender.success();
            world.until("the drop is counted", () -> receiver.counter("no_recv_wr") == before + 1);

            receiver.receive(2, 0, 10);
            receiver.nothing();
            sender.write(0, "later").send(3, peer, 0, 5);
            assertThat(receiver.success().id()).isEqualTo(2);
            assertThat(receiver.read(0, 5)).isEqualTo("later");
            assertThat(sender.queuePair.state()).isEqualTo(QueuePairState.RTS);
            assertThat(receiver.queuePair.state()).isEqualTo(QueuePairState.RTS);
        }
    }

    @EachDatagramWorld
    @DisplayName("One queue pair exchanges messages with many peers, distinguished by address and number")
    void manyPeers(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            int peers = 5;
            DatagramSide server = DatagramSide.on(world, 0);
            List<DatagramSide> clients = new ArrayList<>();
            for (int i = 0; i < peers; i++) {
                DatagramSide client = DatagramSide.on(world, 1 + i);
                clients.add(client);
                client.receive(i, 0, 100);
                server.receive(i, i * 100, 100);
                client.write(200, "from " + i).send(i, client.to(server), 200, 6);
            }
            for (int i = 0; i < peers; i++) {
                WorkCompletion request = server.success();
                String text = server.read((int) request.id() * 100, 6);
                DatagramSide client = clients.get(text.charAt(5) - '0');
                assertThat(request.source()).isEqualTo(client.queuePair.localAddress());
                assertThat(request.sourceQueuePairNumber()).isEqualTo(client.queuePair.number());
                AddressHandle back = server.queuePair.createAddressHandle(request, client.queuePair.key());
                server.queuePair.postSend(new SendWorkRequest()
                        .destination(back)
                        .signaled(false)
                        .add(server.memory, request.id() * 100L, 6));
            }
            for (int i = 0; i < peers; i++) {
                clients.get(i).next(2);
                assertThat(clients.get(i).read(0, 6)).isEqualTo("from " + i);
            }
        }
    }

    @EachDatagramWorld
    @DisplayName("Queue pairs that share a port are distinguished by number; number 0 is the default queue pair")
    void sharedPort(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide first = DatagramSide.on(world, 1);
            DatagramSide second = DatagramSide.on(
                    world,
                    1,
                    UnaryOperator.identity(),
                    attributes -> DatagramAttributes.builder(first.queuePair.localAddress())
                            .byDefault(true));
            assertThat(second.queuePair.localAddress()).isEqualTo(first.queuePair.localAddress());
            first.receive(1, 0, 10);
            second.receive(2, 0, 10);
            second.receive(3, 0, 10);

            sender.send(1, sender.to(first), 0, 1);
            sender.send(2, sender.to(second), 0, 2);
            AddressHandle anybody =
                    sender.queuePair.createAddressHandle(second.queuePair.localAddress(), 0, second.queuePair.key());
            sender.send(3, anybody, 0, 3);

            assertThat(sender.next(3)).allMatch(WorkCompletion::succeeded);
            assertThat(first.success().byteLength()).isEqualTo(1);
            assertThat(second.success().byteLength()).isEqualTo(2);
            assertThat(second.success().byteLength()).isEqualTo(3);
        }
    }

    @Tag("DG-4.6-3")
    @EachDatagramWorld
    @DisplayName("Scatter/gather elements are one message, inline data is copied, an empty Send consumes a receive")
    void shapes(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender =
                    DatagramSide.on(world, 0, wishes -> wishes.maxInlineData(64), UnaryOperator.identity());
            DatagramSide receiver = DatagramSide.on(world, 1);
            AddressHandle peer = sender.to(receiver);
            receiver.queuePair.postReceive(
                    new ReceiveWorkRequest().add(receiver.memory, 500, 3).add(receiver.memory, 100, 50));
            receiver.receive(2, 200, 10);
            receiver.receive(3, 300, 10);
            sender.write(10, "abcd").write(90, "efg");
            sender.queuePair.postSend(new SendWorkRequest()
                    .destination(peer)
                    .add(sender.memory, 10, 4)
                    .add(sender.memory, 90, 3));
            ByteBuffer data = ByteBuffer.wrap(new byte[] {'i', 'n'});
            sender.queuePair.postSend(new SendWorkRequest().destination(peer).inlineData(data));
            data.put(0, (byte) 'X');
            sender.queuePair.postSend(new SendWorkRequest().destination(peer));

            assertThat(sender.next(3)).allMatch(WorkCompletion::succeeded);
            assertThat(receiver.success().byteLength()).isEqualTo(7);
            assertThat(receiver.read(500, 3)).isEqualTo("abc");
            assertThat(receiver.read(100, 4)).isEqualTo("defg");
            assertThat(receiver.success().byteLength()).isEqualTo(2);
            assertThat(receiver.read(200, 2)).isEqualTo("in");
            assertThat(receiver.success().byteLength()).isZero();
        }
    }

    @EachDatagramWorld
    @DisplayName("An unsignalled Send is not reported, and releases its entry of the completion queue")
    void unsignalled(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.small(world, 0, 2);
            DatagramSide receiver = DatagramSide.on(world, 1);
            AddressHandle peer = sender.to(receiver);
            for (int i = 0; i < 20; i++) {
                SendWorkRequest request =
                        new SendWorkRequest().id(i).destination(peer).signaled(false);
                world.until("room for a Send", () -> sender.queuePair.tryPostSend(request));
            }
            world.until(
                    "room for a Send",
                    () -> sender.queuePair.tryPostSend(
                            new SendWorkRequest().id(99).destination(peer)));
            assertThat(sender.success().id()).isEqualTo(99);
            sender.nothing();
        }
    }

    @EachDatagramWorld
    @DisplayName("A list is posted in one call and completes in order")
    void list(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide sender = DatagramSide.on(world, 0);
            DatagramSide receiver = DatagramSide.on(world, 1);
            AddressHandle peer = sender.to(receiver);
            int count = 50;
            ReceiveWorkRequest[] receives = new ReceiveWorkRequest[count];
            SendWorkRequest[] sends = new SendWorkRequest[count];
            for (int i = 0; i < count; i++) {
                receives[i] = new ReceiveWorkRequest().id(i).add(receiver.memory, i * 8L, 8);
                sends[i] = new SendWorkRequest().id(100 + i).destination(peer).add(sender.memory, i * 8L, 8);
                sender.memory.buffer().putLong(i * 8, i);
            }
            assertThat(receiver.queuePair.postReceive(receives, count)).isEqualTo(count);
            assertThat(sender.queuePair.postSend(sends, count)).isEqualTo(count);
            for (int i = 0; i < count; i++) {
                assertThat(sender.success().id()).isEqualTo(100 + i);
                assertThat(receiver.success().id()).isEqualTo(i);
                assertThat(receiver.memory.buffer().getLong(i * 8)).isEqualTo(i);
            }
        }
    }

    @Tag("DG-7-4")
    @EachDatagramWorld
    @DisplayName(
            "A Send with lost parts returns its receive or, with reportIncomplete, completes it with the received bytes")
    void incomplete(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=20%,seed=3"))) {
            DatagramSide sender = DatagramSide.on(world, 0).pattern(0, MESSAGE);
            DatagramSide recycling = DatagramSide.on(world, 1);
            DatagramSide reporting =
                    DatagramSide.on(world, 2, UnaryOperator.identity(), builder -> builder.reportIncomplete(true));
            recycling.receive(1, 0, MESSAGE);
            reporting.receive(2, 0, MESSAGE);
            sender.send(1, sender.to(recycling), 0, MESSAGE);
            sender.send(2, sender.to(reporting), 0, MESSAGE);

            assertThat(sender.next(2)).allMatch(WorkCompletion::succeeded);
            WorkCompletion incomplete = reporting.next(WorkCompletionStatus.INCOMPLETE);
            assertThat(incomplete.id()).isEqualTo(2);
            assertThat(incomplete.messageLength()).isEqualTo(MESSAGE);
            ValidityMap validity = Objects.requireNonNull(incomplete.validity());
            assertThat(validity.isComplete()).isFalse();
            assertThat(validity.validBytes()).isEqualTo(incomplete.byteLength()).isPositive();
            validity.forEachRange((offset, length) ->
                    assertThat(reporting.hasPattern(offset, length)).isTrue());
            world.until("the loss is counted", () -> recycling.counter("sends_lost") > 0);
            recycling.nothing();
        }
    }
}
