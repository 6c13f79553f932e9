package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("RDMA operations")
class RdmaOperationsTest {
    @Tag("RDMAP-5.5-1")
    @EachWorld
    @DisplayName("A Write is placed in the peer's region before a later Send is delivered")
    void write(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 10);
            pair.active.write(0, "written");
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .id(1)
                    .rdmaWrite(pair.passive.address(1000), pair.passive.memory.rkey())
                    .add(pair.active.memory, 0, 7));
            pair.active.send(2, 0, 1);

            WorkCompletion written = pair.active.success();
            assertThat(written.id()).isEqualTo(1);
            assertThat(written.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
            // RFC 5040 §5.5 (10): delivery of the Send means that the Write is placed.
            pair.passive.success();
            assertThat(pair.passive.read(1000, 7)).isEqualTo("written");
        }
    }

    @EachWorld
    @DisplayName("A Write with Immediate Data consumes a receive and carries 8 bytes")
    void writeWithImmediate(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(4, 0, 8);
            pair.active.write(0, "data");
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaWriteWithImmediate(pair.passive.address(64), pair.passive.memory.rkey(), 0x0102030405060708L)
                    .add(pair.active.memory, 0, 4));

            assertThat(pair.active.success().opcode()).isEqualTo(WorkCompletionOpcode.RDMA_WRITE);
            WorkCompletion received = pair.passive.success();
            assertThat(received.id()).isEqualTo(4);
            assertThat(received.opcode()).isEqualTo(WorkCompletionOpcode.RECV_RDMA_WITH_IMM);
            assertThat(received.hasImmediateData()).isTrue();
            assertThat(received.immediateData()).isEqualTo(0x0102030405060708L);
            assertThat(pair.passive.read(64, 4)).isEqualTo("data");
        }
    }

    @EachWorld
    @DisplayName("Immediate Data can be sent alone")
    void immediate(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(4, 0, 8);
            pair.active.queuePair.postSend(new SendWorkRequest().id(3).immediateData(-1));

            assertThat(pair.active.success().id()).isEqualTo(3);
            assertThat(pair.passive.success().immediateData()).isEqualTo(-1);
        }
    }

    @EachWorld
    @DisplayName("A Read copies the peer's memory, and its completion has the length")
    void read(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            int length = 300_000;
            for (int i = 0; i < length; i++) {
                pair.passive.memory.buffer().put(i, (byte) (i * 7));
            }
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .id(1)
                    .rdmaRead(pair.passive.address(0), pair.passive.memory.rkey())
                    .add(pair.active.memory, 100, length));

            WorkCompletion read = pair.active.success();
            assertThat(read.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_READ);
            assertThat(read.byteLength()).isEqualTo(length);
            for (int i = 0; i < length; i++) {
                assertThat(pair.active.memory.buffer().get(100 + i)).isEqualTo((byte) (i * 7));
            }
        }
    }

    @EachWorld
    @DisplayName("An empty Read succeeds with any key")
    void readNothing(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.postSend(new SendWorkRequest().rdmaRead(0, 0).add(pair.active.memory, 0, 0));
            pair.active.queuePair.postSend(new SendWorkRequest().rdmaRead(0, 0));
            assertThat(pair.active.next(2)).allMatch(WorkCompletion::succeeded);
        }
    }

    @EachWorld
    @DisplayName("A Read with invalidate invalidates its own sink")
    void readWithInvalidate(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaReadWithInvalidate(pair.passive.address(0), pair.passive.memory.rkey())
                    .add(pair.active.memory, 0, 8));
            pair.active.success();
            org.assertj.core.api.Assertions.assertThatThrownBy(() -> pair.active.send(2, 0, 1))
                    .hasMessageContaining("invalidated");
        }
    }

    @EachWorld
    @DisplayName("Reads beyond the peer's limit wait, and all complete in order")
    void manyReads(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(
                    world,
                    wishes -> wishes,
                    ConnectionParameters.DEFAULT.withInitiatorDepth(2).withResponderResources(1),
                    ConnectionParameters.DEFAULT);
            assertThat(pair.active.queuePair.query().ord()).isEqualTo(2);
            assertThat(pair.passive.queuePair.query().ird()).isEqualTo(2);
            for (int i = 0; i < 64; i++) {
                pair.passive.memory.buffer().putLong(i * 8, i);
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .id(i)
                        .rdmaRead(pair.passive.address(i * 8), pair.passive.memory.rkey())
                        .add(pair.active.memory, i * 8L, 8));
            }
            for (int i = 0; i < 64; i++) {
                assertThat(pair.active.success().id()).isEqualTo(i);
                assertThat(pair.active.memory.buffer().getLong(i * 8)).isEqualTo(i);
            }
        }
    }

    @EachWorld
    @DisplayName("A fenced Send waits for the Reads before it")
    void fence(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 5000, 8);
            pair.passive.memory.buffer().putLong(0, 77);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(pair.passive.address(0), pair.passive.memory.rkey())
                    .add(pair.active.memory, 0, 8));
            // Sends the data of the Read; without the fence it would be sent before the data arrive.
            pair.active.queuePair.postSend(new SendWorkRequest().fence(true).add(pair.active.memory, 0, 8));
            pair.passive.success();
            assertThat(pair.passive.memory.buffer().getLong(5000)).isEqualTo(77);
        }
    }

    @EachWorld
    @DisplayName("FetchAdd and CmpSwap change the peer's memory and return the old value")
    void atomics(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            var target = pair.passive.memory.buffer().duplicate().order(ByteOrder.nativeOrder());
            var result = pair.active.memory.buffer().duplicate().order(ByteOrder.nativeOrder());
            target.putLong(8, 40);
            long address = pair.passive.address(8);
            int key = pair.passive.memory.rkey();

            pair.active.queuePair.postSend(
                    new SendWorkRequest().fetchAndAdd(address, key, 2).add(pair.active.memory, 0, 8));
            WorkCompletion added = pair.active.success();
            assertThat(added.opcode()).isEqualTo(WorkCompletionOpcode.FETCH_ADD);
            assertThat(added.byteLength()).isEqualTo(8);
            assertThat(result.getLong(0)).isEqualTo(40);
            assertThat(target.getLong(8)).isEqualTo(42);

            pair.active.queuePair.postSend(
                    new SendWorkRequest().compareAndSwap(address, key, 42, 1).add(pair.active.memory, 8, 8));
            assertThat(pair.active.success().opcode()).isEqualTo(WorkCompletionOpcode.COMP_SWAP);
            assertThat(result.getLong(8)).isEqualTo(42);
            assertThat(target.getLong(8)).isEqualTo(1);

            pair.active.queuePair.postSend(
                    new SendWorkRequest().compareAndSwap(address, key, 42, 9).add(pair.active.memory, 8, 8));
            pair.active.success();
            assertThat(result.getLong(8)).isEqualTo(1);
            assertThat(target.getLong(8)).as("compared unequal").isEqualTo(1);
        }
    }

    @EachWorld
    @DisplayName("The masks of Atomics select bits and fields")
    void atomicMasks(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            var target = pair.passive.memory.buffer().duplicate().order(ByteOrder.nativeOrder());
            long address = pair.passive.address(0);
            int key = pair.passive.memory.rkey();

            // Two fields of 32 bits: the carry of the lower one is lost (RFC 7306 §5.1.1).
            target.putLong(0, 0x0000_0001_ffff_ffffL);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .fetchAndAdd(address, key, 0x0000_0001_0000_0001L, 0x8000_0000_8000_0000L)
                    .add(pair.active.memory, 0, 8));
            pair.active.success();
            assertThat(target.getLong(0)).isEqualTo(0x0000_0002_0000_0000L);

            // Compares the high half, swaps the low half (RFC 7306 §5.1.2).
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .compareAndSwap(address, key, 0x0000_0002_9999_9999L, 0xffff_ffffL << 32, 0x5555_6666, 0xffff_ffffL)
                    .add(pair.active.memory, 0, 8));
            pair.active.success();
            assertThat(target.getLong(0)).isEqualTo(0x0000_0002_5555_6666L);
        }
    }

    @EachWorld
    @DisplayName("A peer without the extensions refuses Atomics as an unexpected opcode")
    void noExtensions(World.Kind kind) {
        try (World world = World.of(kind, Map.of("jwarp.rdmap.extensions", "off"))) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .fetchAndAdd(pair.passive.address(0), pair.passive.memory.rkey(), 1)
                    .add(pair.active.memory, 0, 8));
            WorkCompletion refused = pair.active.next();
            assertThat(refused.status()).isEqualTo(WorkCompletionStatus.REM_INV_REQ_ERR);
            assertThat(refused.diagnosis()).contains("unexpected or unsupported RDMAP opcode", "0x0/0x2/0x06");
        }
    }

    @EachWorld
    @DisplayName("LOCAL_INV of an invalid STag fails")
    void localInvalidateTwice(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            var region = pair.passive.domain.allocate(64, dev.jwarp.verbs.AccessFlag.REMOTE_READ);
            pair.passive.queuePair.postSend(new SendWorkRequest().id(5).localInvalidate(region.rkey()));
            pair.passive.success();
            pair.passive.queuePair.postSend(new SendWorkRequest().id(6).localInvalidate(region.rkey()));
            WorkCompletion failed = pair.passive.next();
            assertThat(failed.status()).isEqualTo(WorkCompletionStatus.LOC_QP_OP_ERR);
            assertThat(failed.id()).isEqualTo(6);
        }
    }

    @EachWorld
    @DisplayName("LOCAL_INV ends the peer's access to a local region")
    void localInvalidate(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(1, 0, 8);
            var region = pair.passive.domain.allocate(64, dev.jwarp.verbs.AccessFlag.REMOTE_READ);
            pair.passive.queuePair.postSend(new SendWorkRequest().id(5).localInvalidate(region.rkey()));
            WorkCompletion invalidated = pair.passive.success();
            assertThat(invalidated.id()).isEqualTo(5);
            assertThat(invalidated.opcode()).isEqualTo(WorkCompletionOpcode.LOCAL_INV);

            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(region.address(), region.rkey())
                    .add(pair.active.memory, 0, 8));
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @EachWorld
    @DisplayName("Immediate Data needs a receive of 8 bytes")
    void shortReceiveForImmediate(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(pair.passive.memory, 0, 7));
            pair.active.queuePair.postSend(new SendWorkRequest().immediateData(1));
            assertThat(pair.passive.next().status()).isEqualTo(WorkCompletionStatus.LOC_LEN_ERR);
        }
    }
}
