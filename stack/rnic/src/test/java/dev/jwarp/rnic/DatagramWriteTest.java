package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.PeerNotice;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("Write-Record and RDMA Write over datagrams")
class DatagramWriteTest {
    private static final int MESSAGE = 64 << 10;

    @EachDatagramWorld
    @DisplayName("A Write-Record completes at the target without a receive, with its memory and all bytes valid")
    void complete(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.on(world, 0).pattern(4096, MESSAGE);
            DatagramSide target = DatagramSide.on(world, 1);
            writer.writeRecord(5, writer.to(target), target, 4096, MESSAGE);

            WorkCompletion written = writer.success();
            assertThat(written.opcode()).isEqualTo(WorkCompletionOpcode.WRITE_RECORD);
            assertThat(written.id()).isEqualTo(5);
            WorkCompletion record = target.success();
            assertThat(record.opcode()).isEqualTo(WorkCompletionOpcode.RECV_WRITE_RECORD);
            assertThat(record.localKey()).isEqualTo(target.memory.rkey());
            assertThat(record.localAddress()).isEqualTo(target.address(4096));
            assertThat(record.messageLength()).isEqualTo(MESSAGE);
            assertThat(record.byteLength()).isEqualTo(MESSAGE);
            assertThat(record.source()).isEqualTo(writer.queuePair.localAddress());
            assertThat(record.sourceQueuePairNumber()).isEqualTo(writer.queuePair.number());
            assertThat(Objects.requireNonNull(record.validity()).isComplete()).isTrue();
            assertThat(target.hasPattern(4096, MESSAGE)).isTrue();
        }
    }

    @Tag("DG-7-2")
    @EachDatagramWorld
    @DisplayName("With lost datagrams it completes in part, and the map has exactly the received bytes")
    void partial(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=20%,seed=5"))) {
            DatagramSide writer = DatagramSide.on(world, 0).pattern(0, MESSAGE);
            DatagramSide target = DatagramSide.on(world, 1);
            writer.writeRecord(1, writer.to(target), target, 0, MESSAGE);

            writer.success();
            WorkCompletion record = target.next(WorkCompletionStatus.PARTIAL);
            ValidityMap validity = Objects.requireNonNull(record.validity());
            assertThat(validity.length()).isEqualTo(MESSAGE);
            assertThat(validity.validBytes()).isEqualTo(record.byteLength()).isBetween(1L, MESSAGE - 1L);
            long[] sums = new long[2];
            validity.forEachRange((offset, length) -> {
                sums[0] += length;
                assertThat(target.hasPattern(offset, length)).isTrue();
                assertThat(validity.contains(offset, length)).isTrue();
                assertThat(validity.contains(offset, length + 1)).isFalse();
            });
            validity.forEachHole((offset, length) -> {
                sums[1] += length;
                for (long i = offset; i < offset + length; i++) {
                    assertThat(target.memory.buffer().get((int) i)).isZero();
                }
            });
            assertThat(sums[0]).isEqualTo(validity.validBytes());
            assertThat(sums[0] + sums[1]).isEqualTo(MESSAGE);
            long[] words = new long[16];
            int bits = (MESSAGE + validity.granule() - 1) / validity.granule();
            assertThat(validity.copyTo(words)).isEqualTo((bits + 63) / 64);
            for (int i = 0; i < bits; i++) {
                assertThat((words[i / 64] >>> i & 1) == 1)
                        .isEqualTo(validity.contains((long) i * validity.granule(), 1));
            }
            long[] few = new long[0];
            assertThat(validity.copyTo(few)).as("copies as many words as fit").isEqualTo((bits + 63) / 64);
            record.release();
            assertThat(record.validity()).isNull();
        }
    }

    @EachDatagramWorld
    @DisplayName("The valid bytes of a region can be queried until the completion is released")
    void query(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.on(world, 0).pattern(0, MESSAGE);
            DatagramSide target = DatagramSide.on(world, 1);
            writer.writeRecord(1, writer.to(target), target, 8192, 10_000);
            WorkCompletion record = target.success();

            ValidityMap validity = target.queuePair.queryValidity(target.memory, 8000, 1000);
            assertThat(validity.nextValid(0)).isEqualTo(192);
            assertThat(validity.validBytes()).isEqualTo(808);
            record.release();
            world.until(
                    "the record is gone",
                    () -> target.queuePair
                                    .queryValidity(target.memory, 8000, 1000)
                                    .validBytes()
                            == 0);
        }
    }

    @EachDatagramWorld
    @DisplayName("Completions without a free entry wait for one, and none is lost")
    void waiting(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.on(world, 0);
            DatagramSide target = DatagramSide.small(world, 1, 3);
            AddressHandle peer = writer.to(target);
            int count = 40;
            for (int i = 0; i < count; i++) {
                writer.writeRecord(i, peer, target, i * 16, 16);
            }
            writer.next(count);
            world.settle();
            for (int i = 0; i < count; i++) {
                assertThat(target.success().localAddress()).isEqualTo(target.address(i * 16));
            }
        }
    }

    @EachDatagramWorld
    @DisplayName("On RD an RDMA Write arrives without a completion; UD has no RDMA Write")
    void plain(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.reliable(world, 0).pattern(0, MESSAGE);
            DatagramSide target = DatagramSide.reliable(world, 1);
            SendWorkRequest write = new SendWorkRequest()
                    .destination(writer.to(target))
                    .rdmaWrite(target.address(0), target.memory.rkey())
                    .add(writer.memory, 0, MESSAGE);
            writer.queuePair.postSend(write);

            assertThat(writer.success().opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
            assertThat(target.hasPattern(0, MESSAGE)).isTrue();
            target.nothing();

            DatagramSide unreliable = DatagramSide.on(world, 0);
            assertThatThrownBy(() -> unreliable.queuePair.postSend(write.destination(unreliable.to(target))))
                    .isInstanceOf(RdmaException.class)
                    .hasMessageContaining("RDMA_WRITE, but SEND, WRITE_RECORD, RDMA_READ.");
        }
    }

    @Tag("DG-9.3-4")
    @EachDatagramWorld
    @DisplayName("A wrong STag causes an async event at the writer, and both queue pairs continue")
    void wrongKey(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide writer = DatagramSide.on(world, 0);
            DatagramSide target = DatagramSide.on(world, 1);
            AddressHandle peer = writer.to(target);
            target.queuePair.createAddressHandle(
                    writer.queuePair.localAddress(), writer.queuePair.number(), writer.queuePair.key());
            writer.queuePair.postSend(new SendWorkRequest()
                    .id(77)
                    .destination(peer)
                    .writeRecord(target.address(0), ~target.memory.rkey())
                    .add(writer.memory, 0, 100));

            writer.success();
            AsyncEvent event = world.asyncEvent(writer.context, AsyncEventType.PEER_NOTICE);
            PeerNotice notice = Objects.requireNonNull(event.notice());
            assertThat(event.element()).isSameAs(writer.queuePair);
            assertThat(notice.peer()).isEqualTo(target.queuePair.localAddress());
            assertThat(notice.workRequestId()).isEqualTo(77);
            assertThat(notice.control()).isEqualTo(0x1100);
            assertThat(event.sentence()).contains("0x1/0x1/0x00");
            assertThat(writer.queuePair.state()).isEqualTo(QueuePairState.RTS);

            writer.writeRecord(1, peer, target, 0, 100);
            writer.success();
            target.success();
            assertThat(target.queuePair.state()).isEqualTo(QueuePairState.RTS);
        }
    }
}
