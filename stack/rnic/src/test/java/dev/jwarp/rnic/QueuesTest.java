package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("Queues")
class QueuesTest {
    private static Consumer<RdmaException> code(RdmaErrorCode code) {
        return e -> assertThat(e.code()).isEqualTo(code);
    }

    private static void assertFlushed(List<WorkCompletion> completions, Long... ids) {
        assertThat(completions)
                .allSatisfy(completion -> assertThat(completion.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR));
        assertThat(completions).extracting(WorkCompletion::id).containsExactly(ids);
    }

    @EachWorld
    @DisplayName("A full send queue rejects posts at once, and accepts them after completions")
    void fullSendQueue(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world, wishes -> wishes.maxSendWorkRequests(3));
            for (int i = 0; i < 5; i++) {
                pair.passive.receive(i, 0, 8);
            }
            pair.active.queuePair.modify(QueuePairState.SQD);
            pair.active.asyncEvent(AsyncEventType.SQ_DRAINED);
            SendWorkRequest request = new SendWorkRequest();
            assertThat(pair.active.queuePair.postSend(
                            new SendWorkRequest[] {request, request, request, request, request}, 5))
                    .as("posted of five")
                    .isEqualTo(3);
            assertThatThrownBy(() -> pair.active.queuePair.postSend(request))
                    .isInstanceOfSatisfying(RdmaException.class, code(RdmaErrorCode.QUEUE_FULL))
                    .hasMessageContaining("all its 3 work requests are outstanding");
            assertThat(pair.active.queuePair.tryPostSend(request)).isFalse();
            pair.active.queuePair.modify(QueuePairState.RTS);
            assertThat(pair.active.next(3)).allMatch(WorkCompletion::succeeded);
            assertThat(pair.active.queuePair.tryPostSend(request)).isTrue();
            pair.active.success();
        }
    }

    @EachWorld
    @DisplayName("A full receive queue rejects posts at once")
    void fullReceiveQueue(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world, wishes -> wishes.maxReceiveWorkRequests(2));
            ReceiveWorkRequest request = new ReceiveWorkRequest();
            assertThat(pair.active.queuePair.postReceive(new ReceiveWorkRequest[] {request, request, request}, 3))
                    .isEqualTo(2);
            assertThat(pair.active.queuePair.tryPostReceive(request)).isFalse();
            assertThatThrownBy(() -> pair.active.queuePair.postReceive(request))
                    .isInstanceOfSatisfying(RdmaException.class, code(RdmaErrorCode.QUEUE_FULL));
        }
    }

    @EachWorld
    @DisplayName("After taking a completion a program can post again: the slot in the queue is free")
    void roomWithEachCompletion(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair =
                    Connected.in(world, wishes -> wishes.maxSendWorkRequests(1).maxReceiveWorkRequests(2));
            pair.passive.receive(0, 0, 8);
            for (int i = 1; i < 300; i++) {
                pair.passive.receive(i, 0, 8);
                pair.active.send(i, 0, 8);
                pair.active.success();
                pair.passive.success();
            }
        }
    }

    @EachWorld
    @DisplayName("In the error state all requests are flushed in order, including new ones")
    void flushOrder(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Endpoint side = pair.active;
            side.queuePair.modify(QueuePairState.SQD);
            side.asyncEvent(AsyncEventType.SQ_DRAINED);
            for (int i = 0; i < 3; i++) {
                side.receive(10 + i, 0, 8);
                // Unsignalled: a failure is reported nevertheless.
                side.queuePair.postSend(new SendWorkRequest().id(i).signaled(false));
            }
            side.queuePair.modify(QueuePairState.ERR);
            side.receive(13, 0, 8);
            side.send(3, 0, 8);

            List<WorkCompletion> all = side.next(8);
            assertFlushed(
                    all.stream()
                            .filter(completion -> completion.opcode() == WorkCompletionOpcode.SEND)
                            .toList(),
                    0L,
                    1L,
                    2L,
                    3L);
            assertFlushed(
                    all.stream()
                            .filter(completion -> completion.opcode() == WorkCompletionOpcode.RECV)
                            .toList(),
                    10L,
                    11L,
                    12L,
                    13L);
            side.event(CmEventType.DISCONNECTED);
            side.send(4, 0, 8);
            side.receive(14, 0, 8);
            assertFlushed(side.next(2), 4L, 14L);
            SendWorkRequest[] sends = {
                new SendWorkRequest().id(5), new SendWorkRequest().id(6).add(0, 8, 12345)
            };
            assertThatThrownBy(() -> side.queuePair.postSend(sends, 2))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.posted()).isEqualTo(1));
            ReceiveWorkRequest[] receives = {
                new ReceiveWorkRequest().id(15), new ReceiveWorkRequest().id(16).add(0, 8, 12345)
            };
            assertThatThrownBy(() -> side.queuePair.postReceive(receives, 2))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.posted()).isEqualTo(1));
            assertFlushed(side.next(2), 5L, 15L);
            side.nothing();
        }
    }

    @EachWorld
    @DisplayName("Closing a queue pair flushes what is outstanding before it returns")
    void close(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.passive.receive(1, 0, 8);
            pair.passive.receive(2, 0, 8);
            pair.passive.queuePair.close();
            WorkCompletion[] into = WorkCompletion.array(4);
            assertThat(pair.passive.completions.poll(into)).isEqualTo(2);
            assertFlushed(List.of(into[0], into[1]), 1L, 2L);
            assertThatThrownBy(() -> pair.passive.receive(3, 0, 8))
                    .isInstanceOfSatisfying(RdmaException.class, code(RdmaErrorCode.CLOSED));
            pair.passive.queuePair.close();
        }
    }

    @Tag("SEC-6.4.3.2-1")
    @EachWorld
    @DisplayName("An overflow of a completion queue is reported by an event and an error")
    void overflow(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Endpoint side = pair.active;
            CompletionQueue small = side.context.createCompletionQueue(2);
            // A queue pair that flushes three receives into a queue of two.
            var queuePair =
                    side.domain.createQueuePair(dev.jwarp.verbs.QueuePairAttributes.builder(side.completions, small)
                            .build());
            queuePair.modify(QueuePairState.INIT);
            for (int i = 0; i < 3; i++) {
                queuePair.postReceive(new ReceiveWorkRequest().id(i));
            }
            queuePair.modify(QueuePairState.ERR);
            side.asyncEvent(small, AsyncEventType.CQ_ERR);
            WorkCompletion[] into = WorkCompletion.array(4);
            assertThat(small.poll(into)).isEqualTo(2);
            assertThatThrownBy(() -> small.poll(into))
                    .isInstanceOfSatisfying(RdmaException.class, code(RdmaErrorCode.COMPLETION_QUEUE_OVERFLOW))
                    .hasMessageContaining("lost completions");
            assertThatThrownBy(() -> small.await(into, Endpoint.PATIENCE))
                    .isInstanceOfSatisfying(RdmaException.class, code(RdmaErrorCode.COMPLETION_QUEUE_OVERFLOW));
        }
    }

    @Tag("SEC-6.4.6-1")
    @EachWorld
    @DisplayName("An overflow ends the connections that report to the queue, with a Terminate")
    void overflowEndsConnections(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Connected small = Connected.reporting(world, world.listening().createCompletionQueue(2));
            for (int i = 0; i < 3; i++) {
                small.passive.receive(i, 0, 8);
            }
            for (int i = 0; i < 3; i++) {
                small.active.send(i, 0, 8);
            }
            assertThat(small.passive
                            .asyncEvent(small.passive.completions, AsyncEventType.CQ_ERR)
                            .sentence())
                    .contains("of 2 entries overflowed");
            assertThat(small.passive.event(CmEventType.DISCONNECTED).error()).isEqualTo(RdmaErrorCode.DISCONNECTED);
            assertThat(small.active.event(CmEventType.DISCONNECTED).sentence()).contains("0x0/0x0/0x00");
            // Another connection of the same contexts has not noticed.
            pair.passive.receive(1, 0, 8);
            pair.active.send(1, 0, 8);
            pair.passive.success();
        }
    }

    @EachWorld
    @DisplayName("poll takes at most as many completions as fit into its array")
    void partialPoll(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            for (int i = 0; i < 5; i++) {
                pair.passive.receive(i, 0, 8);
                pair.active.send(i, 0, 8);
            }
            WorkCompletion[] two = WorkCompletion.array(2);
            long expected = 0;
            while (expected < 5) {
                int taken = pair.passive.completions.await(two, Endpoint.PATIENCE);
                assertThat(taken).isBetween(1, 2);
                for (int i = 0; i < taken; i++) {
                    assertThat(two[i].id()).isEqualTo(expected++);
                }
            }
        }
    }
}
