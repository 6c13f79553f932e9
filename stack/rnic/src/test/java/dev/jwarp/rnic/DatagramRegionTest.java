package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.memory.RnicMemoryRegion;
import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("Memory that peers access with datagrams (datagram-iWARP §17)")
class DatagramRegionTest {
    private static final int LENGTH = 100;

    private static void assertRefused(RdmaErrorCode code, String words, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }

    @EachDatagramWorld
    @DisplayName("is accessible, for writes and reads, only to the peers it is bound to last")
    void bound(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide target = DatagramSide.on(world, 0);
            DatagramSide friend = DatagramSide.on(world, 1);
            DatagramSide other = DatagramSide.on(world, 2);
            AddressHandle toFriend = target.to(friend);
            AddressHandle toOther = target.to(other);
            target.memory.bindTo(toFriend);
            toFriend.close();
            friend.writeRecord(1, friend.to(target), target, 0, LENGTH);
            friend.success();
            target.success();
            friend.queuePair.postSend(friend.read(2, friend.to(target), target, 0, LENGTH));
            friend.success();

            other.writeRecord(3, other.to(target), target, 0, LENGTH);
            other.success();
            other.queuePair.postSend(other.read(4, other.to(target), target, 0, LENGTH));
            other.next(WorkCompletionStatus.REM_ACCESS_ERR);
            target.nothing();
            assertThat(target.counter("stag_peer")).isEqualTo(1);
            assertThat(target.counter("read_stag_peer")).isEqualTo(1);

            target.memory.bindTo(toOther);
            other.writeRecord(5, other.to(target), target, 0, LENGTH);
            other.success();
            target.success();
            target.memory.bindTo();
            other.writeRecord(6, other.to(target), target, 0, LENGTH);
            other.success();
            target.nothing();
            assertThat(target.counter("stag_peer")).isEqualTo(2);
        }
    }

    @EachDatagramWorld
    @DisplayName("expires for peers, not for its owner")
    void expires(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide target = DatagramSide.on(world, 0).pattern(0, LENGTH);
            DatagramSide writer = DatagramSide.on(world, 1);
            target.memory.expireAfter(Duration.ofMinutes(1));
            writer.writeRecord(1, writer.to(target), target, 200, LENGTH);
            writer.success();
            target.success();

            target.memory.expireAfter(Duration.ZERO);
            writer.writeRecord(2, writer.to(target), target, 200, LENGTH);
            writer.success();
            target.to(writer); // validates the address: a stranger would not get the code
            writer.queuePair.postSend(writer.read(4, writer.to(target), target, 0, LENGTH));
            writer.next(WorkCompletionStatus.REM_ACCESS_ERR);
            target.nothing();
            assertThat(target.hasPattern(0, LENGTH)).isTrue();
            assertThat(target.counter("stag_invalid")).isEqualTo(1);
            assertThat(target.counter("read_stag_invalid")).isEqualTo(1);

            writer.receive(5, 0, LENGTH);
            target.send(6, target.to(writer), 0, LENGTH);
            target.success();
            writer.success();
            assertThat(writer.hasPattern(0, LENGTH)).isTrue();
        }
    }

    @Test
    @DisplayName("with time zero expires at once, even for a thread that read its clock a second before")
    void expiresAtOnce() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            MemoryRegion region = DatagramSide.on(world, 0).memory;
            region.expireAfter(Duration.ZERO);
            assertThat(((RnicMemoryRegion) region).tagged().expired(-1_000_000_000L))
                    .isTrue();
        }
    }

    @Tag("DG-7-6")
    @Test
    @DisplayName("that expires during a Write-Record aborts it, and takes no further byte")
    void expiresMeanwhile() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide target = DatagramSide.on(world, 0);
            DatagramSide writer = DatagramSide.on(world, 1).pattern(0, DatagramSide.MEMORY);
            world.datagrams().faults(new DatagramFaults(0, 0, 10_000, 3_000_000));
            target.memory.expireAfter(Duration.ofNanos(1_500_000));
            writer.writeRecord(1, writer.to(target), target, 0, 1 << 16);
            writer.success();
            long placed = target.next(WorkCompletionStatus.ABORTED).byteLength();
            assertThat(placed).isBetween(1L, (1L << 16) - 1);
            byte[] there = new byte[1 << 16];
            target.memory.buffer().get(0, there);
            int octets = 0;
            for (byte octet : there) {
                octets += octet == 0 ? 0 : 1; // no octet of the pattern is 0
            }
            assertThat(octets).isEqualTo((int) placed);
        }
    }

    @Test
    @DisplayName("can be bound only to handles of its own context, and only for a valid time")
    void arguments() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DatagramSide target = DatagramSide.on(world, 0);
            DatagramSide writer = DatagramSide.on(world, 1);
            assertRefused(RdmaErrorCode.INVALID_ARGUMENT, "its context", () -> target.memory.bindTo(writer.to(target)));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT, "days", () -> target.memory.expireAfter(Duration.ofNanos(-1)));
            ByteBuffer memory = ByteBuffer.allocateDirect(LENGTH);
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "GROUP",
                    () -> target.domain.registerForGroup(memory, 0, 7, AccessFlag.LOCAL_WRITE, AccessFlag.RECORD));
            assertRefused(
                    RdmaErrorCode.INVALID_ARGUMENT,
                    "in use",
                    () -> target.domain.registerForGroup(memory, 0, target.memory.rkey(), AccessFlag.GROUP));
        }
    }
}
