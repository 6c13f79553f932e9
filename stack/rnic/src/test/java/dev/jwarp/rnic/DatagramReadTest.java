package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.ValidityMap;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("RDMA Read over datagrams")
class DatagramReadTest {
    private static final int MESSAGE = 64 << 10;

    @EachDatagramWorld
    @DisplayName("A Read copies the peer's memory")
    void complete(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1).pattern(1000, MESSAGE);
            AddressHandle peer = reader.to(source);
            reader.queuePair.postSend(reader.read(4, peer, source, 1000, MESSAGE));

            WorkCompletion read = reader.success();
            assertThat(read.opcode()).isEqualTo(WorkCompletionOpcode.RDMA_READ);
            assertThat(read.id()).isEqualTo(4);
            assertThat(read.byteLength()).isEqualTo(MESSAGE);
            assertThat(read.destination()).isSameAs(peer);
            assertThat(read.validity()).as("nothing is missing").isNull();
            assertThat(reader.hasPattern(1000, MESSAGE)).isTrue();
            source.nothing();
        }
    }

    @Tag("DG-8-6")
    @Test
    @DisplayName("A response is placed correctly with reordered and duplicated datagrams")
    void anyOrder() {
        try (DatagramWorld world = DatagramWorld.simulated(new SimNetwork(1), Map.of())) {
            world.datagrams().faults(new DatagramFaults(0, 0.5, 0, 5_000_000));
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1).pattern(0, MESSAGE);
            reader.queuePair.postSend(reader.read(4, reader.to(source), source, 0, MESSAGE));

            assertThat(reader.next(WorkCompletionStatus.SUCCESS).byteLength()).isEqualTo(MESSAGE);
            assertThat(reader.hasPattern(0, MESSAGE)).isTrue();
        }
    }

    @Tag("DG-8-3")
    @EachDatagramWorld
    @DisplayName("After the timeout, the completion shows lost bytes of a response, and one call reads them again")
    void partial(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=15%,seed=9"))) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1).pattern(0, MESSAGE);
            reader.queuePair.postSend(reader.read(8, reader.to(source), source, 0, MESSAGE));

            Deque<WorkCompletion> open = new ArrayDeque<>();
            open.add(reader.next());
            boolean sawPartial = false;
            while (!open.isEmpty()) {
                WorkCompletion read = open.remove();
                assertThat(read.id()).isEqualTo(8);
                if (read.succeeded()) {
                    continue;
                }
                assertThat(read.status()).isIn(WorkCompletionStatus.PARTIAL, WorkCompletionStatus.RESP_TIMEOUT_ERR);
                ValidityMap validity = Objects.requireNonNull(read.validity());
                sawPartial |= validity.validBytes() > 0;
                long start = read.localAddress() - reader.memory.address();
                validity.forEachRange((offset, length) ->
                        assertThat(reader.hasPattern(start + offset, length)).isTrue());
                int posted = reader.queuePair.retryRead(read);
                assertThat(posted).isPositive();
                for (int i = 0; i < posted; i++) {
                    open.add(reader.next());
                }
            }
            assertThat(sawPartial).isTrue();
            assertThat(reader.hasPattern(0, MESSAGE)).isTrue();
        }
    }

    @Tag("DG-8-3")
    @EachDatagramWorld
    @DisplayName("A Read from an unreachable peer ends after its own timeout")
    void timeout(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1);
            AddressHandle nobody = reader.queuePair.createAddressHandle(
                    source.queuePair.localAddress(), source.queuePair.number() ^ 1, source.queuePair.key());
            SendWorkRequest request = reader.read(1, nobody, source, 0, MESSAGE).timeout(Duration.ofMillis(30));
            reader.queuePair.postSend(request);

            WorkCompletion read = reader.next(WorkCompletionStatus.RESP_TIMEOUT_ERR);
            ValidityMap validity = Objects.requireNonNull(read.validity());
            assertThat(validity.validBytes()).isZero();
            assertThat(validity.length()).isEqualTo(MESSAGE);
            reader.queuePair.postSend(
                    request.id(2).destination(reader.to(source)).timeout(DatagramSide.PATIENCE));
            assertThat(reader.success().id()).isEqualTo(2);
        }
    }

    @EachDatagramWorld
    @DisplayName("A Read may have an infinite timeout; other Reads end in their time")
    void forEver(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1);
            AddressHandle nobody = reader.queuePair.createAddressHandle(
                    source.queuePair.localAddress(), source.queuePair.number() ^ 1, source.queuePair.key());
            reader.queuePair.timeouts(DatagramSide.PATIENT.withRate(Long.MAX_VALUE));
            Duration forEver = ChronoUnit.FOREVER.getDuration();
            reader.queuePair.postSend(reader.read(1, nobody, source, 0, 10).timeout(forEver));
            world.settle();
            reader.queuePair.postSend(reader.read(2, nobody, source, 0, 10).timeout(Duration.ofMillis(30)));
            assertThat(reader.next(WorkCompletionStatus.RESP_TIMEOUT_ERR).id()).isEqualTo(2);
        }
    }

    @EachDatagramWorld
    @DisplayName("Missing bytes can be read again with a timeout of their own")
    void rereadWithTimeout(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1);
            AddressHandle nobody = reader.queuePair.createAddressHandle(
                    source.queuePair.localAddress(), source.queuePair.number() ^ 1, source.queuePair.key());
            reader.queuePair.postSend(reader.read(1, nobody, source, 0, 10).timeout(Duration.ofMillis(1)));
            WorkCompletion nothing = reader.next(WorkCompletionStatus.RESP_TIMEOUT_ERR);
            reader.queuePair.timeouts(DatagramSide.PATIENT.withRead(Duration.ofHours(1)));
            assertThat(reader.queuePair.retryRead(nothing, Duration.ofMillis(20)))
                    .isEqualTo(1);
            assertThat(reader.next(WorkCompletionStatus.RESP_TIMEOUT_ERR).id()).isEqualTo(1);
        }
    }

    @Tag("DG-8-4")
    @EachDatagramWorld
    @DisplayName("A Read of memory that may not be read is refused with the reason, and the next one works")
    void refused(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1);
            AddressHandle peer = reader.to(source);
            reader.to(source).close();
            source.to(reader); // validates the reader's address, so that the reader gets the reason
            MemoryRegion closed = source.domain.allocate(100, AccessFlag.LOCAL_WRITE);
            reader.queuePair.postSend(new SendWorkRequest()
                    .id(1)
                    .destination(peer)
                    .rdmaRead(closed.address(), closed.rkey())
                    .add(reader.memory, 0, 100));

            WorkCompletion read = reader.next(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(read.id()).isEqualTo(1);
            assertThatThrownBy(() -> reader.queuePair.retryRead(read)).hasMessageContaining("no validity map");
            reader.queuePair.postSend(reader.read(2, peer, source, 0, 100));
            reader.success();
        }
    }

    @EachDatagramWorld
    @DisplayName("readAll reads a long range by many Reads, repeats lost parts, and completes once")
    void bulk(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=2%,seed=1"))) {
            DatagramSide reader =
                    DatagramSide.on(world, 0, wishes -> wishes.maxSendWorkRequests(8), UnaryOperator.identity());
            DatagramSide source = DatagramSide.on(world, 1).pattern(0, DatagramSide.MEMORY);
            AddressHandle peer = reader.to(source);
            reader.queuePair.readAll(reader.read(3, peer, source, 0, DatagramSide.MEMORY), 100);

            WorkCompletion read = reader.success();
            assertThat(read.id()).isEqualTo(3);
            assertThat(read.byteLength()).isEqualTo(DatagramSide.MEMORY);
            assertThat(reader.hasPattern(0, DatagramSide.MEMORY)).isTrue();
            reader.nothing();
            peer.close();
        }
    }

    @EachDatagramWorld
    @DisplayName("readAll without rounds reports missing bytes")
    void bulkInPart(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=10%,seed=2"))) {
            DatagramSide reader = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1).pattern(0, DatagramSide.MEMORY);
            AddressHandle peer = reader.to(source);
            ValidityMap validity;
            do {
                reader.queuePair.readAll(reader.read(3, peer, source, 0, DatagramSide.MEMORY), 0);
                WorkCompletion read = reader.next(WorkCompletionStatus.PARTIAL);
                validity = Objects.requireNonNull(read.validity());
            } while (validity.validBytes() == 0); // as long as the source gets no time before the Reads time out
            assertThat(validity.validBytes()).isLessThan(DatagramSide.MEMORY);
            validity.forEachRange((offset, length) ->
                    assertThat(reader.hasPattern(offset, length)).isTrue());
        }
    }

    @Tag("DG-9.1-1")
    @Test
    @DisplayName("An answer to a message does not validate the sender's address: its Reads get no data yet")
    void stranger() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide stranger = DatagramSide.on(world, 0);
            DatagramSide source = DatagramSide.on(world, 1);
            AddressHandle peer = stranger.to(source);
            source.receive(1, 0, 10);
            stranger.send(1, peer, 0, 10);
            stranger.success();
            AddressHandle back = source.queuePair.createAddressHandle(source.success(), stranger.queuePair.key());
            stranger.receive(2, 0, 10);
            source.send(2, back, 0, 10);
            source.success();
            stranger.success();

            stranger.queuePair.postSend(stranger.read(3, peer, source, 0, 100));
            assertThat(stranger.success().id()).isEqualTo(3);
            assertThat(source.counter("read_challenged")).isEqualTo(1);
            back.close();
        }
    }

    @EachDatagramWorld
    @DisplayName("The holes of a Write-Record are read from its source")
    void repair(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind, Map.of("jwarp.udp.inject", "loss=10%,seed=4"))) {
            DatagramSide writer = DatagramSide.on(world, 0).pattern(0, MESSAGE);
            DatagramSide target = DatagramSide.on(world, 1);
            AddressHandle back = target.to(writer);
            writer.writeRecord(1, writer.to(target), target, 0, MESSAGE);
            WorkCompletion record = target.next(WorkCompletionStatus.PARTIAL);

            int open = target.queuePair.readHoles(
                    Objects.requireNonNull(record.validity()), target.read(1, back, writer, 0, MESSAGE));
            assertThat(open).isPositive();
            while (open > 0) {
                WorkCompletion read = target.next();
                open--;
                if (!read.succeeded()) {
                    open += target.queuePair.retryRead(read);
                }
            }
            assertThat(target.hasPattern(0, MESSAGE)).isTrue();
        }
    }
}
