package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.OperationStatus;
import dev.jwarp.rdmap.SendOperation;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachWorld;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.Inside;
import dev.jwarp.rnic.World;
import dev.jwarp.rnic.core.AsyncEvents;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairInformation;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The states of a queue pair")
class StatesTest {
    private static void refused(RdmaErrorCode code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @EachWorld
    @DisplayName("RESET accepts nothing, INIT accepts receives, RTS everything")
    void posting(World.Kind kind) {
        try (World world = World.of(kind)) {
            Endpoint side = Connected.endpoint(world, world.connecting());
            QueuePair fresh = side.domain.createQueuePair(
                    QueuePairAttributes.builder(side.completions).build());
            assertThat(fresh.state()).isEqualTo(QueuePairState.RESET);
            assertThat(fresh.streamState()).isEqualTo("IDLE");
            refused(RdmaErrorCode.WRONG_STATE, () -> fresh.postReceive(new ReceiveWorkRequest()));
            refused(RdmaErrorCode.WRONG_STATE, () -> fresh.postSend(new SendWorkRequest()));
            fresh.modify(QueuePairState.INIT);
            fresh.postReceive(new ReceiveWorkRequest());
            refused(RdmaErrorCode.WRONG_STATE, () -> fresh.postSend(new SendWorkRequest()));

            Connected pair = Connected.in(world);
            assertThat(pair.active.queuePair.state()).isEqualTo(QueuePairState.RTS);
            assertThat(pair.active.queuePair.streamState()).isEqualTo("RTS");
        }
    }

    @EachWorld
    @DisplayName("A closed queue pair is in ERR, accepts nothing, and does not change its state")
    void closed(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            QueuePair fresh = pair.active.domain.createQueuePair(
                    QueuePairAttributes.builder(pair.active.completions).build());
            fresh.modify(QueuePairState.INIT);
            for (QueuePair queuePair : List.of(fresh, pair.active.queuePair)) {
                queuePair.close();
                assertThat(queuePair.state()).isEqualTo(QueuePairState.ERR);
                refused(RdmaErrorCode.CLOSED, () -> queuePair.postReceive(new ReceiveWorkRequest()));
                refused(RdmaErrorCode.CLOSED, () -> queuePair.postSend(new SendWorkRequest()));
                for (QueuePairState target : QueuePairState.values()) {
                    refused(RdmaErrorCode.CLOSED, () -> queuePair.modify(target));
                }
                queuePair.close();
            }
        }
    }

    @EachWorld
    @DisplayName("Only the connection manager brings a queue pair to RTR and RTS")
    void wrongWays(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            QueuePair queuePair = pair.active.queuePair;
            assertThatThrownBy(() -> queuePair.modify(QueuePairState.RTR))
                    .hasMessageContaining("cannot go from RTS to RTR. The connection manager makes that transition");
            assertThatThrownBy(() -> queuePair.modify(QueuePairState.RESET))
                    .hasMessageContaining("Modify it to ERR and wait until its connection is over");
            refused(RdmaErrorCode.WRONG_STATE, () -> queuePair.modify(QueuePairState.INIT));
            refused(RdmaErrorCode.WRONG_STATE, () -> queuePair.modify(QueuePairState.SQE));
            refused(RdmaErrorCode.WRONG_STATE, () -> queuePair.modify(QueuePairState.RTS));
        }
    }

    @EachWorld
    @DisplayName("In SQD earlier requests are carried out, new requests wait for RTS")
    void drain(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            for (int i = 0; i < 3; i++) {
                pair.passive.receive(i, 0, 8);
            }
            pair.active.send(1, 0, 8);
            pair.active.queuePair.modify(QueuePairState.SQD);
            pair.active.asyncEvent(AsyncEventType.SQ_DRAINED);
            pair.active.send(2, 0, 8);
            pair.active.send(3, 0, 8);
            assertThat(pair.active.success().id()).isEqualTo(1);
            pair.active.nothing();
            pair.active.queuePair.modify(QueuePairState.RTS);
            assertThat(pair.active.success().id()).isEqualTo(2);
            assertThat(pair.active.success().id()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("A send queue is drained when its last completion can be taken, not before")
    void drainedAfterCompletion() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Connected pair = Connected.in(world);
            pair.active.send(1, 0, 8);
            pair.active.queuePair.modify(QueuePairState.SQD);
            QueuePairConnection connection =
                    Objects.requireNonNull(((RnicQueuePair) pair.active.queuePair).connection());
            SendOperation sent = new SendOperation(1, 0).reset(SendOperation.Kind.SEND, 1);
            AsyncEvents events = Inside.core(pair.active.context).asyncEvents();

            connection.sendCompleted(sent.signaled(true), OperationStatus.SUCCESS);
            assertThat(events.take()).as("in the middle of a call").isNull();
            connection.onTransmitted(0);
            assertThat(events.take()).as("in the middle of a call").isNull();
            connection.settled();
            assertThat(Objects.requireNonNull(events.take()).type()).isEqualTo(AsyncEventType.SQ_DRAINED);
            assertThat(pair.active.success().id()).isEqualTo(1);
        }
    }

    @EachWorld
    @DisplayName("Flushes to one completion queue are ordered: sends, then receives")
    void flushOrder(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.modify(QueuePairState.SQD);
            pair.active.asyncEvent(AsyncEventType.SQ_DRAINED);
            for (int i = 1; i <= 3; i++) {
                pair.active.receive(10 + i, 0, 8);
                pair.active.send(i, 0, 8);
            }
            pair.active.queuePair.modify(QueuePairState.ERR);
            assertThat(pair.active.next(6)).extracting(WorkCompletion::id).containsExactly(1L, 2L, 3L, 11L, 12L, 13L);
        }
    }

    @EachWorld
    @DisplayName("After ERR and RESET a queue pair can have a second connection, without traces of the first")
    void reuse(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            QueuePair queuePair = pair.active.queuePair;
            for (int i = 0; i < 100; i++) {
                pair.passive.receive(i, 0, 8);
                pair.active.send(i, 0, 8);
                pair.active.success();
                pair.passive.success();
            }
            pair.active.receive(5, 0, 8);
            queuePair.modify(QueuePairState.ERR);
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            pair.active.event(CmEventType.DISCONNECTED);
            pair.passive.event(CmEventType.DISCONNECTED);
            queuePair.modify(QueuePairState.RESET);
            assertThat(queuePair.query().failure()).isNull();
            queuePair.modify(QueuePairState.INIT);
            pair.active.receive(6, 0, 8);
            Connected again = Connected.again(world, pair.active);
            again.passive.receive(1, 0, 8);
            again.active.send(7, 0, 8);
            assertThat(again.active.success().id()).isEqualTo(7);
            again.passive.success();
            again.passive.send(8, 0, 8);
            assertThat(again.active.success().id()).isEqualTo(6);
        }
    }

    @EachWorld
    @DisplayName("query returns the connection, the depths, the outstanding requests, and the failure")
    void query(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(1, 0, 8);
            pair.active.receive(2, 0, 8);
            QueuePairInformation before = pair.active.queuePair.query();
            assertThat(before.state()).isEqualTo(QueuePairState.RTS);
            assertThat(before.remoteAddress()).isEqualTo(pair.active.id.remoteAddress());
            assertThat(before.localAddress()).isEqualTo(pair.active.id.localAddress());
            assertThat(before.receivesOutstanding()).isEqualTo(2);
            assertThat(before.sendsOutstanding()).isZero();
            assertThat(before.failure()).isNull();
            assertThat(before.ird()).isEqualTo(128);

            pair.active.send(3, 0, 8);
            pair.active.event(CmEventType.DISCONNECTED);
            QueuePairInformation after = pair.active.queuePair.query();
            assertThat(after.state()).isEqualTo(QueuePairState.ERR);
            assertThat(after.failure()).contains("found no posted buffer");
            assertThat(after.remoteAddress()).isNull();
            assertThat(after.receivesOutstanding()).isZero();
        }
    }
}
