package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.List;
import org.junit.jupiter.api.DisplayName;

@DisplayName("A violation by the peer ends the connection, and both programs get the reason")
class PeerMistakesTest {
    private static long counter(Endpoint side, String name) {
        return side.context.counters().stream()
                .filter(counter -> counter.name().equals(name))
                .findFirst()
                .map(Counter::value)
                .orElseThrow();
    }

    /** Reads from {@code address}; the peer refuses with {@code words}. */
    private static void refusedRead(Connected pair, long address, int key, String words) {
        pair.active.queuePair.postSend(
                new SendWorkRequest().id(3).rdmaRead(address, key).add(pair.active.memory, 0, 8));
        WorkCompletion refused = pair.active.next();
        assertThat(refused.id()).isEqualTo(3);
        assertThat(refused.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        assertThat(refused.diagnosis()).contains("The peer sent a Terminate", words);
        assertThat(refused.describe())
                .contains("RDMA_READ wr_id=3", "REM_ACCESS_ERR (10)", "check: rkey, address, length");
        // This side's program gets the Terminate as a failure, the peer's program the violation.
        assertThat(pair.active.asyncEvent(AsyncEventType.QP_FATAL).sentence()).contains(words);
        assertThat(pair.passive.asyncEvent(AsyncEventType.QP_ACCESS_ERR).sentence())
                .contains("This side refused what the peer sent", words);
        assertThat(pair.active.queuePair.state()).isEqualTo(QueuePairState.ERR);
        assertThat(pair.active.event(CmEventType.DISCONNECTED).error()).isEqualTo(RdmaErrorCode.DISCONNECTED);
        assertThat(pair.passive.event(CmEventType.DISCONNECTED).sentence()).contains(words);
    }

    @EachWorld
    @DisplayName("A Read with an STag that never existed")
    void unknownStag(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            refusedRead(pair, 0, 0x31337, "0x0/0x1/0x00");
            assertThat(counter(pair.passive, "found_rdmap_invalid_stag")).isEqualTo(1);
            assertThat(counter(pair.active, "told_rdmap_invalid_stag")).isEqualTo(1);
        }
    }

    @EachWorld
    @DisplayName("A Read outside of the region")
    void bounds(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            refusedRead(pair, pair.passive.address(Endpoint.MEMORY - 7), pair.passive.memory.rkey(), "0x0/0x1/0x01");
        }
    }

    @EachWorld
    @DisplayName("A Read of a region that does not allow it")
    void access(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion closed = pair.passive.domain.allocate(8, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            refusedRead(pair, closed.address(), closed.rkey(), "0x0/0x1/0x02");
        }
    }

    @EachWorld
    @DisplayName("A Read of a region of another protection domain")
    void domain(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion foreign =
                    pair.passive.context.allocateProtectionDomain().allocate(8, AccessFlag.REMOTE_READ);
            refusedRead(pair, foreign.address(), foreign.rkey(), "0x0/0x1/0x03");
        }
    }

    @EachWorld
    @DisplayName("A Read of a region that was closed")
    void closedRegion(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion region = pair.passive.domain.allocate(8, AccessFlag.REMOTE_READ);
            region.close();
            refusedRead(pair, region.address(), region.rkey(), "0x0/0x1/0x00");
        }
    }

    @EachWorld
    @DisplayName("A Write where none is allowed leaves the memory as it was")
    void write(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(9, 0, 1);
            MemoryRegion readOnly = pair.passive.domain.allocate(8, AccessFlag.REMOTE_READ);
            readOnly.buffer().putLong(0, 0x1111);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .id(1)
                    .rdmaWrite(readOnly.address(), readOnly.rkey())
                    .add(pair.active.memory, 0, 8));
            // The Write completes once TCP has it (RFC 5040 §5.5 (14)); the Terminate arrives later and flushes the
            // rest.
            pair.active.success();
            WorkCompletion flushed = pair.active.next();
            assertThat(flushed.id()).isEqualTo(9);
            assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(flushed.diagnosis()).contains("does not allow remote writes");
            assertThat(readOnly.buffer().getLong(0)).isEqualTo(0x1111);
        }
    }

    @EachWorld
    @DisplayName("A Send that finds no receive")
    void noReceive(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(9, 0, 1);
            pair.active.send(1, 0, 10);
            pair.active.success();
            WorkCompletion flushed = pair.active.next();
            assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(flushed.diagnosis()).contains("found no posted buffer", "0x1/0x2/0x02");
            assertThat(pair.passive.asyncEvent(AsyncEventType.QP_REQ_ERR).element())
                    .isEqualTo(pair.passive.queuePair);
        }
    }

    @EachWorld
    @DisplayName("A Send that is longer than its receive")
    void tooLong(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 9);
            pair.passive.receive(2, 100, 9);
            pair.active.send(1, 0, 10);
            List<WorkCompletion> ends = pair.passive.next(2);
            assertThat(ends.get(0).status()).isEqualTo(WorkCompletionStatus.LOC_LEN_ERR);
            assertThat(ends.get(1).status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    @EachWorld
    @DisplayName("An invalidation of an STag that several streams share")
    void sharedInvalidation(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            // With a second queue pair in the domain, the region is shared by two streams (RFC 5040 §8.1.1 (7)).
            pair.passive.domain.createQueuePair(dev.jwarp.verbs.QueuePairAttributes.builder(pair.passive.completions)
                    .build());
            pair.passive.receive(1, 0, 9);
            pair.active.queuePair.postSend(new SendWorkRequest().sendWithInvalidate(pair.passive.memory.rkey()));
            assertThat(pair.passive.next().status()).isEqualTo(WorkCompletionStatus.LOC_ACCESS_ERR);
            assertThat(pair.passive.asyncEvent(AsyncEventType.QP_ACCESS_ERR).sentence())
                    .contains("cannot be invalidated");
        }
    }

    @EachWorld
    @DisplayName("A local region closed under a posted Send: no byte of it is sent")
    void ownRegionClosed(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 9);
            // Held, so that the Send has certainly not begun.
            pair.active.queuePair.modify(QueuePairState.SQD);
            pair.active.asyncEvent(AsyncEventType.SQ_DRAINED);
            MemoryRegion region = pair.active.domain.allocate(8);
            pair.active.queuePair.postSend(new SendWorkRequest().id(4).add(region));
            region.close();
            pair.active.queuePair.modify(QueuePairState.RTS);
            WorkCompletion failed = pair.active.next();
            assertThat(failed.id()).isEqualTo(4);
            assertThat(failed.status()).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(pair.passive.next().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    @EachWorld
    @DisplayName("A local region closed under a posted receive: the message is not delivered")
    void receiveRegionClosed(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion region = pair.passive.domain.allocate(8, AccessFlag.LOCAL_WRITE);
            pair.passive.queuePair.postReceive(
                    new dev.jwarp.verbs.ReceiveWorkRequest().id(4).add(region));
            region.close();
            region.buffer().putLong(0, 0x2222);
            pair.active.send(1, 0, 8);
            assertThat(pair.passive.next().status()).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(region.buffer().getLong(0)).isEqualTo(0x2222);
        }
    }
}
