package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.ScatterGatherElement;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A region of several buffers")
class SeveralBuffersTest {
    private static final int LENGTH = 200_000;
    private static final int FROM = 333;
    private static final int MESSAGE = 150_001;
    private static final AccessFlag[] EVERYTHING = {
        AccessFlag.LOCAL_WRITE,
        AccessFlag.REMOTE_WRITE,
        AccessFlag.REMOTE_READ,
        AccessFlag.REMOTE_ATOMIC,
        AccessFlag.MW_BIND
    };
    private static final AccessFlag[] OF_DATAGRAMS = {
        AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD, AccessFlag.REMOTE_READ
    };
    private static final List<BiFunction<Side, AccessFlag[], MemoryRegion>> SHAPES = List.of(
            (side, access) -> Scattered.small(side.domain, LENGTH, access),
            (side, access) -> Scattered.large(side.domain, LENGTH, access));

    @EachWorld
    @DisplayName("supports Send, receive, Write and Read across its buffers")
    void moves(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            long seed = 1;
            for (BiFunction<Side, AccessFlag[], MemoryRegion> shape : SHAPES) {
                MemoryRegion here = shape.apply(pair.active, EVERYTHING);
                MemoryRegion there = shape.apply(pair.passive, EVERYTHING);

                byte[] bytes = Scattered.fill(here, FROM, MESSAGE, seed++);
                pair.passive.queuePair.postReceive(
                        new ReceiveWorkRequest().id(1).add(there, 5, MESSAGE));
                pair.active.queuePair.postSend(new SendWorkRequest().id(2).add(here, FROM, MESSAGE));
                pair.active.success();
                assertThat(pair.passive.success().byteLength()).isEqualTo(MESSAGE);
                assertThat(Scattered.read(there, 5, MESSAGE)).as("Send").isEqualTo(bytes);

                bytes = Scattered.fill(here, 0, MESSAGE, seed++);
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .rdmaWrite(there.address() + 1_001, there.rkey())
                        .add(here, 0, MESSAGE));
                pair.passive.receive(3, 0, 1);
                pair.active.send(4, 0, 1);
                pair.active.success();
                pair.active.success();
                pair.passive.success();
                assertThat(Scattered.read(there, 1_001, MESSAGE)).as("Write").isEqualTo(bytes);

                bytes = Scattered.fill(there, 77, MESSAGE, seed++);
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .rdmaRead(there.address() + 77, there.rkey())
                        .add(here, LENGTH - MESSAGE, MESSAGE));
                pair.active.success();
                assertThat(Scattered.read(here, LENGTH - MESSAGE, MESSAGE))
                        .as("Read")
                        .isEqualTo(bytes);
            }
        }
    }

    @EachWorld
    @DisplayName("receives messages of several elements, and is a source of inline data")
    void elements(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world, wishes -> wishes.maxInlineData(200));
            MemoryRegion here = Scattered.small(pair.active.domain, LENGTH, EVERYTHING);
            MemoryRegion there = Scattered.small(pair.passive.domain, LENGTH, EVERYTHING);
            byte[] first = Scattered.fill(here, 100, 3_000, 1);
            byte[] second = Scattered.fill(here, 50_000, 4_000, 2);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest()
                    .id(1)
                    .add(ScatterGatherElement.of(there, 9, 2_500))
                    .add(there, 70_000, 10_000));
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .id(2)
                    .add(here, 100, 3_000)
                    .add(here, 0, 0)
                    .add(here, 50_000, 4_000));
            pair.active.success();
            pair.passive.success();
            ByteBuffer whole = ByteBuffer.allocate(7_000).put(first).put(second);
            ByteBuffer got = ByteBuffer.allocate(7_000)
                    .put(Scattered.read(there, 9, 2_500))
                    .put(Scattered.read(there, 70_000, 4_500));
            assertThat(got.flip()).isEqualTo(whole.flip());

            MemoryRegion two = Scattered.twice12(pair.active.domain, EVERYTHING);
            byte[] inline = Scattered.fill(two, 1, 22, 3);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest().id(3).add(there, 0, 22));
            pair.active.queuePair.postSend(
                    new SendWorkRequest().id(4).inline(true).add(two, 1, 20).add(two, 21, 2));
            Scattered.fill(two, 1, 22, 4);
            pair.active.success();
            pair.passive.success();
            assertThat(Scattered.read(there, 0, 22)).as("inline").isEqualTo(inline);
        }
    }

    @EachWorld
    @DisplayName("receives Immediate Data across two buffers")
    void immediateData(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion there = Scattered.twice12(pair.passive.domain, AccessFlag.LOCAL_WRITE);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(there, 8, 8));
            pair.active.queuePair.postSend(new SendWorkRequest().id(2).immediateData(0x0102030405060708L));
            pair.active.success();
            assertThat(pair.passive.success().immediateData()).isEqualTo(0x0102030405060708L);
            assertThat(Scattered.read(there, 8, 8)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    @EachWorld
    @DisplayName("supports Atomics within a buffer; their results may be in two buffers")
    void atomics(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion here = Scattered.twice12(pair.active.domain, EVERYTHING);
            MemoryRegion there = Scattered.twice12(pair.passive.domain, EVERYTHING);
            there.setAtomic(12, 40); // the second buffer's first word
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .fetchAndAdd(there.address() + 12, there.rkey(), 2)
                    .add(here, 8, 8));
            pair.active.success();
            assertThat(there.getAtomic(12)).isEqualTo(42);
            ByteBuffer old = ByteBuffer.wrap(Scattered.read(here, 8, 8)).order(ByteOrder.nativeOrder());
            assertThat(old.getLong()).isEqualTo(40);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .compareAndSwap(there.address() + 12, there.rkey(), 42, 7)
                    .add(here, 0, 8));
            pair.active.success();
            assertThat(here.getAtomic(0)).isEqualTo(42);
            assertThat(there.getAtomic(12)).isEqualTo(7);
            assertThatThrownBy(() -> there.getAtomic(8)).hasMessageContaining("two buffers");
            assertThatThrownBy(() -> there.setAtomic(17, 1)).hasMessageContaining("inside");

            pair.active.queuePair.postSend(new SendWorkRequest()
                    .fetchAndAdd(there.address() + 8, there.rkey(), 1) // in two buffers
                    .add(here, 0, 8));
            assertThat(pair.active.next().status()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
        }
    }

    @EachWorld
    @DisplayName("supports windows across its buffers")
    void windows(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion there = Scattered.small(pair.passive.domain, LENGTH, EVERYTHING);
            MemoryWindow window = pair.passive.domain.allocateWindow();
            pair.passive.receive(1, 0, 1); // so that the passive side may send
            pair.active.send(2, 0, 1);
            pair.active.success();
            pair.passive.success();
            long begin = there.address() + 4_321;
            pair.passive.queuePair.postSend(
                    new SendWorkRequest().bindWindow(window, there, begin, 50_000L, AccessFlag.REMOTE_WRITE));
            pair.passive.success();
            byte[] bytes = new byte[50_000];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = DatagramSide.octet(i);
            }
            pair.active.memory.buffer().put(0, bytes);
            pair.active.queuePair.postSend(
                    new SendWorkRequest().rdmaWrite(begin, window.rkey()).add(pair.active.memory, 0, bytes.length));
            pair.passive.receive(3, 0, 1);
            pair.active.send(4, 0, 1);
            pair.active.success();
            pair.active.success();
            pair.passive.success();
            assertThat(Scattered.read(there, 4_321, bytes.length)).isEqualTo(bytes);
            window.close();
        }
    }

    @EachDatagramWorld
    @DisplayName("supports Send, receive, Write-Record and Read over datagrams")
    void datagrams(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide active = DatagramSide.on(world, 0);
            DatagramSide passive = DatagramSide.on(world, 1);
            AddressHandle peer = active.to(passive);
            long seed = 1;
            for (BiFunction<Side, AccessFlag[], MemoryRegion> shape : SHAPES) {
                MemoryRegion here = shape.apply(active, OF_DATAGRAMS);
                MemoryRegion there = shape.apply(passive, OF_DATAGRAMS);
                byte[] bytes = Scattered.fill(here, FROM, 40_001, seed++);
                passive.queuePair.postReceive(new ReceiveWorkRequest().id(1).add(there, 5, 41_000));
                active.queuePair.postSend(
                        new SendWorkRequest().id(2).destination(peer).add(here, FROM, 40_001));
                active.success();
                passive.success();
                assertThat(Scattered.read(there, 5, 40_001)).as("Send").isEqualTo(bytes);

                bytes = Scattered.fill(here, 2, 40_001, seed++);
                active.queuePair.postSend(new SendWorkRequest()
                        .destination(peer)
                        .writeRecord(there.address() + 1_001, there.rkey())
                        .add(here, 2, 40_001));
                active.success();
                WorkCompletion record = passive.success();
                assertThat(Scattered.read(there, 1_001, 40_001))
                        .as("Write-Record")
                        .isEqualTo(bytes);
                ValidityMap validity = passive.queuePair.queryValidity(there, 1_000L, 40_003L);
                assertThat(validity.nextValid(0)).isEqualTo(1);
                assertThat(validity.nextMissing(1)).isEqualTo(40_002);
                record.release();

                bytes = Scattered.fill(there, 77, 40_001, seed++);
                active.queuePair.postSend(new SendWorkRequest()
                        .destination(peer)
                        .rdmaRead(there.address() + 77, there.rkey())
                        .add(here, 3, 40_001));
                active.success();
                assertThat(Scattered.read(here, 3, 40_001)).as("Read").isEqualTo(bytes);
            }
        }
    }

    @Test
    @DisplayName("returns its buffers one by one; a region of one buffer returns that buffer")
    void buffers() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.in(world).active;
            ByteBuffer memory = ByteBuffer.allocateDirect(100);
            List<ByteBuffer> list =
                    new ArrayList<>(List.of(memory.slice(0, 10), memory.slice(10, 0), memory.slice(50, 7)));
            MemoryRegion region = side.domain.register(list, 0x1000, AccessFlag.LOCAL_WRITE);
            list.clear();
            assertThat(region.length()).isEqualTo(17);
            assertThat(region.buffers()).extracting(ByteBuffer::capacity).containsExactly(10, 7);
            assertThatThrownBy(region::buffer).hasMessageContaining("buffers()");
            region.buffers().get(1).put(6, (byte) 9);
            assertThat(memory.get(56)).isEqualTo((byte) 9);
            MemoryRegion one = side.domain.register(List.of(memory, memory.slice(0, 0)));
            assertThat(one.buffer()).isSameAs(one.buffers().get(0));
            MemoryRegion none = side.domain.register(List.of());
            assertThat(none.length()).isZero();
            assertThat(none.buffer().capacity()).isZero();
            region.close();
            one.close();
            none.close();
        }
    }

    @Test
    @DisplayName("has at most a terabyte, and only direct buffers; an element has less than 2 GiB")
    void refused() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.in(world).active;
            assertThat(side.context.device().attributes().maxMemoryRegionSize()).isEqualTo(1L << 40);
            ByteBuffer part = ByteBuffer.allocateDirect(1 << 26);
            List<ByteBuffer> terabyte = Collections.nCopies(1 << 14, part);
            MemoryRegion region = side.domain.register(terabyte, AccessFlag.LOCAL_WRITE);
            assertThat(region.length()).isEqualTo(1L << 40);
            assertThatThrownBy(() -> new SendWorkRequest().add(region)).hasMessageContaining("add it in parts");
            SendWorkRequest tooLong = new SendWorkRequest()
                    .add(region, 0, Integer.MAX_VALUE)
                    .add(region, 1L << 33, Integer.MAX_VALUE)
                    .add(region, 1L << 39, 2);
            assertThatThrownBy(() -> side.queuePair.postSend(tooLong))
                    .hasMessageContaining("a message has at most 4294967295");
            SendWorkRequest outside = new SendWorkRequest().add(region, (1L << 40) - 7, 8);
            assertThatThrownBy(() -> side.queuePair.postSend(outside)).hasMessageContaining("not inside");
            region.close();
            List<ByteBuffer> more = new ArrayList<>(terabyte);
            more.add(ByteBuffer.allocateDirect(1));
            assertThatThrownBy(() -> side.domain.register(more))
                    .isInstanceOf(RdmaException.class)
                    .hasMessageContaining("at most " + (1L << 40));
            assertThatThrownBy(() -> side.domain.register(List.of(part, ByteBuffer.allocate(1))))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("direct");
            assertThatThrownBy(() -> side.domain.register(List.of(part, part), -(1L << 27)))
                    .hasMessageContaining("2^64");
        }
    }
}
