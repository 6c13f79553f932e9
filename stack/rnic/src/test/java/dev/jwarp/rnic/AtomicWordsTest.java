package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The words of Atomics, as a program reads and writes them")
class AtomicWordsTest {
    private static final Set<AccessFlag> COUNTER = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC);

    @EachWorld
    @DisplayName("are the numbers that Atomics of the peer see, at both ends")
    void sameNumbers(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion counter = pair.passive.domain.allocate(16, COUNTER);
            counter.setAtomic(8, 5);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .fetchAndAdd(counter.address() + 8, counter.rkey(), 1)
                    .add(pair.active.memory, 0, 8));
            pair.active.success();
            assertThat(pair.active.memory.getAtomic(0)).as("the old value").isEqualTo(5);
            assertThat(counter.getAtomic(8)).as("the new value").isEqualTo(6);
            assertThat(counter.getAtomic(0)).as("the word beside it").isZero();
        }
    }

    @EachWorld
    @DisplayName("are changed by the program or by its peer, but not by both")
    void oneOfBoth(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion word = pair.passive.domain.allocate(8, COUNTER);
            for (int round = 0; round < 200; round++) {
                pair.active.queuePair.postSend(new SendWorkRequest()
                        .compareAndSwap(word.address(), word.rkey(), round, round + 1)
                        .add(pair.active.memory, 0, 8));
                boolean own = word.compareAndSetAtomic(0, round, round + 1);
                pair.active.success();
                boolean peers = pair.active.memory.getAtomic(0) == round;
                assertThat(own).as("round %s", round).isNotEqualTo(peers);
                assertThat(word.getAtomic(0)).isEqualTo(round + 1);
            }
        }
    }

    @Test
    @DisplayName("lie inside the region, at a multiple of 8 in memory, and not in read-only memory")
    void refusals() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.endpoint(world, world.listening());
            MemoryRegion region = side.domain.allocate(24, COUNTER);
            region.setAtomic(16, -1);
            assertThat(region.getAtomic(16)).isEqualTo(-1);
            refused(RdmaErrorCode.OUT_OF_BOUNDS, "at offset 17 are not inside", () -> region.getAtomic(17));
            refused(RdmaErrorCode.OUT_OF_BOUNDS, "at offset -8 are not inside", () -> region.setAtomic(-8, 1));
            refused(RdmaErrorCode.INVALID_ARGUMENT, "no multiple of 8", () -> region.getAtomic(4));
            refused(RdmaErrorCode.INVALID_ARGUMENT, "no multiple of 8", () -> region.setAtomic(4, 1));
            ByteBuffer whole = ByteBuffer.allocateDirect(32);
            int shifted = (12 - whole.alignmentOffset(0, 8)) % 8; // its first byte is at 8 n + 4
            MemoryRegion odd = side.domain.register(whole.position(shifted), COUNTER);
            refused(RdmaErrorCode.INVALID_ARGUMENT, "no multiple of 8", () -> odd.getAtomic(0));
            odd.setAtomic(4, 7);
            assertThat(odd.getAtomic(4)).isEqualTo(7);
            MemoryRegion readOnly = side.domain.register(
                    ByteBuffer.allocateDirect(64).alignedSlice(8).asReadOnlyBuffer());
            assertThat(readOnly.getAtomic(0)).isZero();
            refused(RdmaErrorCode.ACCESS_DENIED, "read-only", () -> readOnly.setAtomic(0, 1));
            refused(RdmaErrorCode.ACCESS_DENIED, "read-only", () -> readOnly.compareAndSetAtomic(0, 0, 1));
            refused(RdmaErrorCode.INVALID_ARGUMENT, "no multiple of 8", () -> region.compareAndSetAtomic(4, 0, 1));
        }
    }

    private static void refused(RdmaErrorCode code, String words, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }
}
