package dev.jwarp.rnic.datagram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.DatagramSide;
import dev.jwarp.rnic.DatagramWorld;
import dev.jwarp.rnic.EachDatagramWorld;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Reliable datagrams")
class DatagramReliableTest {
    private static final int MESSAGE = 20_000;

    @EachDatagramWorld
    @DisplayName("All messages arrive once and in order despite lost datagrams, and complete when the peer has them")
    void inOrder(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=5%,duplicate=3%,seed=8"))) {
            DatagramSide sender = DatagramSide.reliable(world, 0).pattern(0, DatagramSide.MEMORY);
            DatagramSide receiver = DatagramSide.reliable(world, 1);
            assertThat(sender.queuePair.type()).isEqualTo(QueuePairType.RD);
            AddressHandle peer = sender.to(receiver);
            int count = 30;
            for (int i = 0; i < count; i++) {
                receiver.receive(i, i * MESSAGE, MESSAGE);
            }
            for (int i = 0; i < count; i++) {
                sender.send(i, peer, i * MESSAGE, MESSAGE);
            }
            for (int i = 0; i < count; i++) {
                WorkCompletion received = receiver.success();
                assertThat(received.id()).isEqualTo(i);
                assertThat(received.sourceQueuePairNumber()).isEqualTo(sender.queuePair.number());
                assertThat(receiver.hasPattern((long) i * MESSAGE, MESSAGE)).isTrue();
            }
            List<WorkCompletion> sent = sender.next(count);
            assertThat(sent).allMatch(WorkCompletion::succeeded);
            assertThat(sent).extracting(WorkCompletion::id).isSorted();
        }
    }

    @EachDatagramWorld
    @DisplayName("Write-Records and Reads are complete despite lost datagrams")
    void whole(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=5%,seed=6"))) {
            DatagramSide left = DatagramSide.reliable(world, 0).pattern(0, 2 * MESSAGE);
            DatagramSide right = DatagramSide.reliable(world, 1);
            left.writeRecord(1, left.to(right), right, 0, MESSAGE);
            WorkCompletion record = right.success();
            assertThat(record.opcode()).isEqualTo(WorkCompletionOpcode.RECV_WRITE_RECORD);
            assertThat(record.byteLength()).isEqualTo(MESSAGE);
            left.success();
            right.queuePair.postSend(right.read(2, right.to(left), left, MESSAGE, MESSAGE));
            right.success();
            assertThat(right.hasPattern(0, 2 * MESSAGE)).isTrue();
        }
    }

    @Tag("DG-11.6-5")
    @EachDatagramWorld
    @DisplayName("A rejected access is reported to the initiator and fails only that peer, until a reset")
    void failure(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.reliable(world, 0);
            DatagramSide target = DatagramSide.reliable(world, 1);
            DatagramSide bystander = DatagramSide.reliable(world, 2);
            AddressHandle peer = writer.to(target);
            writer.queuePair.postSend(new SendWorkRequest()
                    .id(1)
                    .destination(peer)
                    .writeRecord(target.address(0), ~target.memory.rkey())
                    .add(writer.memory, 0, 100));
            assertThat(writer.next(WorkCompletionStatus.REM_ACCESS_ERR).id()).isEqualTo(1);
            writer.writeRecord(2, writer.to(bystander), bystander, 0, 100);
            assertThat(writer.success().id()).isEqualTo(2);
            bystander.success();

            writer.writeRecord(3, peer, target, 0, 100);
            assertThat(writer.next(WorkCompletionStatus.WR_FLUSH_ERR).id()).isEqualTo(3);
            writer.queuePair.resetPeer(peer);
            target.queuePair.resetPeer(target.to(writer));
            target.pattern(1_000, 100);
            writer.pattern(0, 100);
            writer.writeRecord(4, peer, target, 0, 100);
            assertThat(writer.success().id()).isEqualTo(4);
            assertThat(target.success().opcode()).isEqualTo(WorkCompletionOpcode.RECV_WRITE_RECORD);
            assertThat(target.hasPattern(0, 100)).isTrue();
            target.queuePair.postSend(target.read(5, target.to(writer), writer, 0, 100));
            assertThat(target.success().id()).isEqualTo(5);
            assertThatThrownBy(() -> writer.queuePair.joinGroup(new InetSocketAddress("239.1.2.3", 9), null, 1))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.NOT_SUPPORTED));
        }
    }

    @Tag("DG-11.3-7")
    @Test
    @DisplayName("The event and the completion describe a peer without receives in the same words")
    void sameWords() {
        Map<String, String> impatient = Map.of("jwarp.rd.give-up", "1000");
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED, impatient)) {
            DatagramSide sender = DatagramSide.reliable(world, 0);
            DatagramSide receiver = DatagramSide.reliable(world, 1);
            sender.send(1, sender.to(receiver), 0, 8); // there is no receive
            WorkCompletion failed = sender.next(WorkCompletionStatus.RNR_RETRY_EXC_ERR);
            assertThat(world.asyncEvent(sender.context, AsyncEventType.PEER_FAILED)
                            .sentence())
                    .endsWith(": " + failed.status().sentence() + ".");
        }
    }

    @EachDatagramWorld
    @DisplayName("Requests posted after the return to RTS are not flushed")
    void postedAfterReturn(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.reliable(world, 0);
            for (int i = 1; i <= 300; i++) {
                side.queuePair.modify(QueuePairState.ERR);
                side.receive(2L * i, 0, 10);
                side.queuePair.modify(QueuePairState.RTS);
                side.receive(2L * i + 1, 10, 10);
                // One flushed for the receive of the error state, none for the later one until the next error state.
                assertThat(side.next(WorkCompletionStatus.WR_FLUSH_ERR).id()).isEqualTo(2L * i);
                side.queuePair.modify(QueuePairState.RTS);
                side.queuePair.modify(QueuePairState.ERR);
                assertThat(side.next(WorkCompletionStatus.WR_FLUSH_ERR).id()).isEqualTo(2L * i + 1);
            }
        }
    }

    @EachDatagramWorld
    @DisplayName("Requests posted to a peer after its reset are not flushed")
    void postedAfterReset(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.reliable(world, 0);
            DatagramSide target = DatagramSide.reliable(world, 1);
            AddressHandle peer = writer.to(target);
            AddressHandle back = target.to(writer);
            for (int i = 0; i < 20; i++) {
                writer.queuePair.postSend(new SendWorkRequest()
                        .id(2L * i)
                        .destination(peer)
                        .writeRecord(target.address(0), ~target.memory.rkey())
                        .add(writer.memory, 0, 100));
                assertThat(writer.next().succeeded()).isFalse();
                target.queuePair.resetPeer(back);
                writer.queuePair.resetPeer(peer);
                writer.writeRecord(2L * i + 1, peer, target, 0, 100);
                assertThat(writer.success().id()).isEqualTo(2L * i + 1);
                target.success();
            }
        }
    }

    @EachDatagramWorld
    @DisplayName("Back in RTS a queue pair works with all peers again, even without handles for them")
    void backAgain(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide client = DatagramSide.reliable(world, 0);
            DatagramSide server = DatagramSide.reliable(world, 1);
            AddressHandle peer = client.to(server);
            server.receive(1, 0, 10);
            client.send(1, peer, 0, 10);
            client.success();
            server.success();

            server.queuePair.modify(QueuePairState.ERR);
            client.send(2, peer, 0, 10);
            assertThat(client.next().succeeded()).isFalse();
            server.queuePair.modify(QueuePairState.RTS);
            server.receive(3, 0, 10);
            client.queuePair.resetPeer(peer);
            client.send(3, peer, 0, 10);
            assertThat(client.success().id()).isEqualTo(3);
            assertThat(server.success().id()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName(
            "With errorStopsAll, the first of two peers that fail at once stops the queue pair: the other has no failure event")
    void stopsAllAtOnce() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide writer = DatagramSide.reliable(world, 0, datagrams -> datagrams.errorStopsAll(true));
            for (int host = 1; host <= 2; host++) { // no port is open there
                writer.queuePair.postSend(new SendWorkRequest()
                        .id(host)
                        .destination(writer.queuePair.createAddressHandle(world.address(host, 9), 0x1234, 0))
                        .send()
                        .add(writer.memory, 0, 100));
            }
            assertThat(writer.next(2))
                    .extracting(WorkCompletion::status)
                    .containsExactlyInAnyOrder(WorkCompletionStatus.RETRY_EXC_ERR, WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    @EachDatagramWorld
    @DisplayName("With errorStopsAll, an error with one peer stops the queue pair for all, until it returns to RTS")
    void stopsAll(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.reliable(world, 0, datagrams -> datagrams.errorStopsAll(true));
            DatagramSide target = DatagramSide.reliable(world, 1);
            DatagramSide bystander = DatagramSide.reliable(world, 2);
            AddressHandle peer = writer.to(target);
            AddressHandle other = writer.to(bystander);
            writer.writeRecord(1, other, bystander, 0, 100);
            writer.success();
            bystander.success();
            writer.receive(2, 0, 100);
            writer.queuePair.postSend(new SendWorkRequest()
                    .id(3)
                    .destination(peer)
                    .writeRecord(target.address(0), ~target.memory.rkey())
                    .add(writer.memory, 0, 100));
            List<WorkCompletion> ended = writer.next(2);
            assertThat(ended).extracting(WorkCompletion::id).containsExactlyInAnyOrder(2L, 3L);
            assertThat(ended).noneMatch(WorkCompletion::succeeded);
            world.until("it is stopped", () -> writer.queuePair.state() == QueuePairState.ERR);
            writer.writeRecord(4, other, bystander, 0, 100);
            assertThat(writer.next(WorkCompletionStatus.WR_FLUSH_ERR).id()).isEqualTo(4);
            bystander.nothing();

            writer.queuePair.modify(QueuePairState.RTS);
            target.queuePair.resetPeer(target.to(writer));
            writer.writeRecord(5, other, bystander, 0, 100);
            assertThat(writer.success().id()).isEqualTo(5);
            bystander.success();
            writer.writeRecord(6, peer, target, 0, 100);
            assertThat(writer.success().id()).isEqualTo(6);
            target.success();
        }
    }

    @Test
    @DisplayName("The state matches the endpoint, even if a peer fails while the program resumes the queue pair")
    void stateOfTheEndpoint() throws Exception {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.THREADED)) {
            DatagramSide side = DatagramSide.reliable(world, 0);
            RnicDatagramQueuePair queuePair = (RnicDatagramQueuePair) side.queuePair;
            CountDownLatch goOn = new CountDownLatch(1);
            queuePair.endpoint().onOwner(() -> {
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                queuePair.move(DatagramQueuePairPhase.Event.FAIL); // as for a lost peer
            });
            queuePair.modify(QueuePairState.ERR);
            Thread program = new Thread(() -> queuePair.modify(QueuePairState.RTS));
            program.start();
            try {
                Awaitility.await().until(() -> switch (program.getState()) {
                    case TIMED_WAITING, WAITING -> true;
                    default -> false;
                });
                assertThat(queuePair.state()).isEqualTo(QueuePairState.ERR);
            } finally {
                goOn.countDown();
                program.join();
            }
            assertThat(queuePair.state()).isEqualTo(QueuePairState.RTS);
            assertThat(queuePair.endpoint().working()).isTrue();
        }
    }
}
