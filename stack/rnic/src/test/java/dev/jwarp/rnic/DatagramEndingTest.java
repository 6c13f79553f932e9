package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("A datagram queue pair ends")
class DatagramEndingTest {
    private static void assertRefused(RdmaErrorCode code, String words, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }

    @Tag("DG-15-1")
    @EachDatagramWorld
    @DisplayName("In ERR all requests are flushed, including new ones; back in RTS the queue pair works again")
    void flush(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.on(world, 0);
            DatagramSide other = DatagramSide.on(world, 1);
            AddressHandle peer = side.to(other);
            AddressHandle nobody = side.queuePair.createAddressHandle(world.address(1, 9), 0x1234, 0);
            side.receive(1, 0, 10);
            side.receive(2, 10, 10);
            side.queuePair.postSend(side.read(3, nobody, other, 0, 100).timeout(Duration.ofSeconds(60)));
            world.settle();
            side.queuePair.modify(QueuePairState.ERR);

            assertThat(side.next(3)).allMatch(completion -> completion.status() == WorkCompletionStatus.WR_FLUSH_ERR);
            side.send(4, peer, 0, 10);
            side.receive(5, 0, 10);
            assertThat(side.next(2)).allMatch(completion -> completion.status() == WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(side.queuePair.state()).isEqualTo(QueuePairState.ERR);

            side.queuePair.modify(QueuePairState.RTS);
            other.receive(6, 0, 10);
            side.send(7, peer, 0, 10);
            assertThat(side.success().id()).isEqualTo(7);
            assertThat(other.success().id()).isEqualTo(6);
        }
    }

    @EachDatagramWorld
    @DisplayName("Closing flushes all requests and frees port and number; the objects that it used can be closed then")
    void close(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.on(world, 0);
            DatagramSide other = DatagramSide.on(world, 1);
            AddressHandle peer = side.to(other);
            side.receive(1, 0, 10);
            assertRefused(RdmaErrorCode.RESOURCE_BUSY, "queue pair", side.domain::close);
            assertRefused(RdmaErrorCode.RESOURCE_BUSY, "queue pair", side.completions::close);
            side.queuePair.close();
            side.queuePair.close();

            side.next(WorkCompletionStatus.WR_FLUSH_ERR);
            assertRefused(RdmaErrorCode.CLOSED, "closed", () -> side.receive(2, 0, 10));
            assertRefused(RdmaErrorCode.CLOSED, "closed", () -> side.send(2, peer, 0, 10));
            peer.close();
            side.memory.close();
            side.completions.close();
            side.domain.close();
            DatagramSide again = DatagramSide.on(
                    world,
                    0,
                    UnaryOperator.identity(),
                    builder -> dev.jwarp.verbs.DatagramAttributes.builder(side.queuePair.localAddress())
                            .queuePairNumber(side.queuePair.number()));
            assertThat(again.queuePair.number()).isEqualTo(side.queuePair.number());
        }
    }

    @Tag("DG-4.2-5")
    @Test
    @DisplayName("Random numbers of successive queue pairs differ")
    void numbers() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            Set<Integer> numbers = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                DatagramSide side = DatagramSide.on(world, 0);
                numbers.add(side.queuePair.number());
                side.queuePair.close();
            }
            assertThat(numbers).hasSize(20);
        }
    }

    @Tag("DG-15-2")
    @EachDatagramWorld
    @DisplayName("Memory can be deregistered at any time: its requests fail, and no data is placed there any more")
    void deregister(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.on(world, 0);
            DatagramSide other = DatagramSide.on(world, 1);
            MemoryRegion gone = side.domain.allocate(100, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD);
            side.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(gone));
            side.receive(2, 0, 100);
            side.queuePair.postSend(new SendWorkRequest()
                    .id(9)
                    .destination(side.queuePair.createAddressHandle(world.address(1, 9), 0x1234, 0))
                    .rdmaRead(0, 0)
                    .timeout(Duration.ofSeconds(60))
                    .add(gone));
            world.settle();
            gone.close();
            assertThat(side.next(2))
                    .allMatch(completion -> completion.status() == WorkCompletionStatus.LOC_PROT_ERR)
                    .extracting(WorkCompletion::id)
                    .containsExactlyInAnyOrder(1L, 9L);

            AddressHandle peer = other.to(side);
            other.write(0, "hello").send(3, peer, 0, 5);
            other.success();
            assertThat(side.success().id()).isEqualTo(2);
            assertThat(side.read(0, 5)).isEqualTo("hello");
            other.queuePair.postSend(new SendWorkRequest()
                    .destination(peer)
                    .writeRecord(gone.address(), gone.rkey())
                    .add(other.memory, 0, 5));
            other.success();
            side.nothing();
            assertThat(gone.buffer().get(0)).isZero();
        }
    }

    @EachDatagramWorld
    @DisplayName("An address handle cannot be closed while a request uses it")
    void handleInUse(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.on(world, 0);
            DatagramSide other = DatagramSide.on(world, 1);
            AddressHandle nobody = side.queuePair.createAddressHandle(world.address(1, 9), 0x1234, 0);
            side.queuePair.postSend(side.read(1, nobody, other, 0, 100).timeout(Duration.ofSeconds(60)));
            assertRefused(RdmaErrorCode.RESOURCE_BUSY, "1 request(s) outstanding", nobody::close);
            side.queuePair.modify(QueuePairState.ERR);
            side.next(WorkCompletionStatus.WR_FLUSH_ERR);
            side.queuePair.modify(QueuePairState.RTS);
            nobody.close();
            assertRefused(RdmaErrorCode.INVALID_ARGUMENT, "closed", () -> side.send(2, nobody, 0, 1));
        }
    }

    @EachDatagramWorld
    @DisplayName("Each request reserves an entry of the completion queue, and is rejected if there is none")
    void places(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide side = DatagramSide.small(world, 0, 2);
            DatagramSide other = DatagramSide.on(world, 1);
            AddressHandle peer = other.to(side);
            side.receive(1, 0, 10);
            side.receive(2, 10, 10);
            assertRefused(RdmaErrorCode.QUEUE_FULL, "all entries of completion queue", () -> side.receive(3, 20, 10));
            other.send(1, peer, 0, 10);
            other.success();
            WorkCompletion first = side.success();
            assertThat(first.id()).isEqualTo(1);
            side.receive(3, 20, 10);
            other.send(2, peer, 0, 10);
            other.send(3, peer, 0, 10);
            other.next(2);
            assertThat(side.success().id()).isEqualTo(2);
            assertThat(side.success().id()).isEqualTo(3);
        }
    }
}
