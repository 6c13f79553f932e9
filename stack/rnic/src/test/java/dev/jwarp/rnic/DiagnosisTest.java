package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rnic.completion.Completion;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.EnumSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A diagnosis names the side that failed, and what to do")
class DiagnosisTest {
    @EachWorld
    @DisplayName("A local completion queue overflows: not an error of the peer")
    void ownCompletionQueue(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected small = Connected.reporting(world, world.listening().createCompletionQueue(2));
            for (int i = 0; i < 3; i++) {
                small.passive.receive(i, 0, 8);
            }
            for (int i = 0; i < 3; i++) {
                small.active.send(i, 0, 8);
            }
            small.passive.asyncEvent(small.passive.completions, AsyncEventType.CQ_ERR);
            assertThat(small.passive.asyncEvent(AsyncEventType.QP_FATAL).sentence())
                    .contains("This side ended the stream", "overflowed its 2 entries", "make it larger")
                    .doesNotContain("the peer");
            assertThat(small.passive.event(CmEventType.DISCONNECTED).sentence()).contains("overflowed its 2 entries");
            assertThat(small.active.event(CmEventType.DISCONNECTED).sentence())
                    .contains("the peer's RDMAP layer failed");
        }
    }

    @EachWorld
    @DisplayName("An Atomic at an address that is no multiple of 8: the requester gets that reason")
    void misalignedAtomic(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .fetchAndAdd(pair.passive.address(4), pair.passive.memory.rkey(), 1)
                    .add(pair.active.memory, 0, 8));
            WorkCompletion failed = pair.active.next();
            assertThat(failed.status()).isEqualTo(WorkCompletionStatus.REM_OP_ERR);
            assertThat(failed.diagnosis()).contains("an Atomic at an address that is no multiple of 8");
            assertThat(failed.describe()).contains("for an Atomic, whether the address is a multiple of 8");
        }
    }

    @EachWorld
    @DisplayName("A local region closed under a posted Send: this side failed, not the peer")
    void ownSend(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.modify(QueuePairState.SQD);
            pair.active.asyncEvent(AsyncEventType.SQ_DRAINED);
            MemoryRegion region = pair.active.domain.allocate(8);
            pair.active.queuePair.postSend(new SendWorkRequest().id(4).add(region));
            region.close();
            pair.active.queuePair.modify(QueuePairState.RTS);
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(pair.active.asyncEvent(AsyncEventType.QP_FATAL).sentence())
                    .contains("This side failed, and sent a Terminate (0x0/0x0/0x00");
        }
    }

    @EachWorld
    @DisplayName("A local region closed under a posted receive: this side failed, not the peer")
    void ownReceive(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion region = pair.passive.domain.allocate(8, AccessFlag.LOCAL_WRITE);
            pair.passive.queuePair.postReceive(new ReceiveWorkRequest().id(4).add(region));
            region.close();
            pair.active.send(1, 0, 8);
            WorkCompletion failed = pair.passive.next();
            assertThat(failed.status()).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(pair.passive.asyncEvent(AsyncEventType.QP_FATAL).sentence())
                    .contains("This side failed, and sent a Terminate (0x1/0x0/0x00");
        }
    }

    @Test
    @DisplayName("The counter of local failures does not mention violations of peers")
    void counters() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            for (Counter counter : world.listening().counters()) {
                if (counter.name().startsWith("found_") && counter.name().endsWith("local_catastrophic")) {
                    assertThat(counter.sentence()).as(counter.name()).contains("failed itself");
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("A status of the stack is the status of the same name for the program, with all texts")
    void sameNames(OperationStatus status) {
        assertThat(Completion.status(status).name()).isEqualTo(status.name());
        assertThat(Completion.status(status).sentence()).isNotBlank().doesNotEndWith(".");
        assertThat(Completion.status(status).check()).isNotBlank().doesNotEndWith(".");
    }

    @Test
    @DisplayName("There is no status for programs that the stack cannot produce")
    void noOthers() {
        EnumSet<WorkCompletionStatus> reached = EnumSet.noneOf(WorkCompletionStatus.class);
        for (OperationStatus status : OperationStatus.values()) {
            reached.add(Completion.status(status));
        }
        assertThat(reached).containsExactly(WorkCompletionStatus.values());
    }
}
