package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;

@DisplayName("A shared receive queue")
class SharedReceiveQueueTest {
    /** Two connections whose passive ends share a domain, a completion queue and a receive queue. */
    private static final class Shared {
        final Endpoint first;
        final Endpoint second;
        final SharedReceiveQueue queue;
        final Endpoint firstPeer;
        final Endpoint secondPeer;

        Shared(World world, int capacity) {
            Endpoint owner = Connected.endpoint(world, world.listening());
            queue = owner.domain.createSharedReceiveQueue(capacity, 2);
            Connected one = Connected.sharing(world, owner, queue);
            Connected two = Connected.sharing(world, owner, queue);
            first = one.passive;
            second = two.passive;
            firstPeer = one.active;
            secondPeer = two.active;
        }

        void post(long id) {
            queue.postReceive(new ReceiveWorkRequest().id(id).add(first.memory, id * 8L, 8));
        }
    }

    @EachWorld
    @DisplayName("gives its receives to the queue pairs that get messages")
    void serves(World.Kind kind) {
        try (World world = World.of(kind)) {
            Shared shared = new Shared(world, 8);
            for (int i = 0; i < 4; i++) {
                shared.post(i);
            }
            for (int i = 0; i < 4; i++) {
                Endpoint from = i % 2 == 0 ? shared.firstPeer : shared.secondPeer;
                Endpoint to = i % 2 == 0 ? shared.first : shared.second;
                from.send(i, 0, 8);
                WorkCompletion received = shared.first.success();
                assertThat(received.id()).isEqualTo(i);
                assertThat(received.queuePairNumber()).isEqualTo(to.queuePair.number());
            }
        }
    }

    @EachWorld
    @DisplayName("rejects posts at once while it is full")
    void full(World.Kind kind) {
        try (World world = World.of(kind)) {
            Shared shared = new Shared(world, 2);
            ReceiveWorkRequest request = new ReceiveWorkRequest();
            assertThat(shared.queue.postReceive(new ReceiveWorkRequest[] {request, request, request}, 3))
                    .isEqualTo(2);
            assertThatThrownBy(() -> shared.queue.postReceive(request))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.QUEUE_FULL));
            shared.firstPeer.queuePair.postSend(new SendWorkRequest());
            shared.first.success();
            shared.queue.postReceive(request);
        }
    }

    @Tag("SEC-6.4.3.1-1")
    @EachWorld
    @DisplayName("reports once that fewer receives than the limit are left")
    void limit(World.Kind kind) {
        try (World world = World.of(kind)) {
            Shared shared = new Shared(world, 8);
            for (int i = 0; i < 4; i++) {
                shared.post(i);
            }
            shared.queue.armLimit(3);
            shared.firstPeer.send(1, 0, 8);
            shared.first.success();
            assertThat(shared.queue.limit())
                    .as("three are left: not fewer than 3")
                    .isEqualTo(3);
            shared.secondPeer.send(1, 0, 8);
            shared.first.success();
            shared.first.asyncEvent(shared.queue, AsyncEventType.SRQ_LIMIT_REACHED);
            assertThat(shared.queue.limit()).isZero();
            shared.queue.armLimit(8);
            shared.first.asyncEvent(shared.queue, AsyncEventType.SRQ_LIMIT_REACHED);
        }
    }

    @EachWorld
    @DisplayName("keeps the receives that a failed queue pair did not take, and reports that it takes no more")
    void survives(World.Kind kind) {
        try (World world = World.of(kind)) {
            Shared shared = new Shared(world, 8);
            shared.post(0);
            shared.post(1);
            shared.firstPeer.queuePair.close();
            shared.first.event(CmEventType.DISCONNECTED);
            shared.first.asyncEvent(AsyncEventType.QP_FATAL);
            shared.first.asyncEvent(AsyncEventType.QP_LAST_WQE_REACHED);
            shared.secondPeer.send(1, 0, 8);
            assertThat(shared.first.success().id()).isZero();
        }
    }

    @EachWorld
    @DisplayName("without receives ends only the connection that needs one")
    void empty(World.Kind kind) {
        try (World world = World.of(kind)) {
            Shared shared = new Shared(world, 8);
            shared.firstPeer.receive(5, 0, 8);
            shared.firstPeer.send(1, 0, 8);
            shared.firstPeer.success();
            assertThat(shared.firstPeer.next().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            shared.post(0);
            shared.secondPeer.send(1, 0, 8);
            assertThat(shared.first.success().queuePairNumber()).isEqualTo(shared.second.queuePair.number());
        }
    }

    @EachWorld
    @DisplayName("takes the receives of its queue pairs, which accept none themselves")
    void refused(World.Kind kind) {
        try (World world = World.of(kind)) {
            Shared shared = new Shared(world, 8);
            assertThatThrownBy(() -> shared.first.receive(1, 0, 8)).hasMessageContaining("post them there");
        }
    }
}
