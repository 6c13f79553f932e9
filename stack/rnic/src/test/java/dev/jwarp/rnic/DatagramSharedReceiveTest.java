package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.rnic.memory.RnicSharedReceiveQueue;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.AsyncEvent;
import dev.jwarp.verbs.AsyncEventType;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.DatagramQueuePair;
import dev.jwarp.verbs.DeviceAttributes;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A shared receive queue for datagrams")
class DatagramSharedReceiveTest {
    private static final int SLOT = 4096;

    /** Longer than one datagram. */
    private static final int LONG = 3000;

    static List<Arguments> worlds() {
        List<Arguments> all = new ArrayList<>();
        DatagramWorld.kinds().forEach(kind -> {
            all.add(Arguments.of(kind, QueuePairType.UD));
            all.add(Arguments.of(kind, QueuePairType.RD));
        });
        return all;
    }

    /**
     * Queue pairs of host 0 that share receives, each with a port of its own, and a sender to all of them on host 1.
     */
    private static final class Sharing {
        final DatagramWorld world;
        final Context context;
        final ProtectionDomain domain;
        final CompletionQueue completions;
        final MemoryRegion memory;
        final SharedReceiveQueue receives;
        final List<DatagramQueuePair> queuePairs = new ArrayList<>();
        final DatagramSide sender;
        private final WorkCompletion[] one = WorkCompletion.array(1);

        Sharing(DatagramWorld world, QueuePairType type, int capacity, int queuePairCount) {
            this(world, type, capacity, queuePairCount, 256);
        }

        Sharing(DatagramWorld world, QueuePairType type, int capacity, int queuePairCount, int entries) {
            this.world = world;
            context = world.context(0);
            domain = context.allocateProtectionDomain();
            completions = context.createCompletionQueue(entries);
            memory = domain.allocate(64 * SLOT, AccessFlag.LOCAL_WRITE);
            receives = domain.createSharedReceiveQueue(capacity, 2);
            sender = type == QueuePairType.RD ? DatagramSide.reliable(world, 1) : DatagramSide.on(world, 1);
            for (int i = 0; i < queuePairCount; i++) {
                queuePairs.add(newQueuePair(type));
            }
        }

        DatagramQueuePair newQueuePair(QueuePairType type) {
            return domain.createDatagramQueuePair(
                    type,
                    QueuePairAttributes.builder(completions)
                            .maxSendWorkRequests(8)
                            .sharedReceiveQueue(receives)
                            .build(),
                    DatagramAttributes.builder(world.address(0, 0))
                            .pathMtu(1500)
                            .timeouts(
                                    type == QueuePairType.UD && world.loses()
                                            ? DatagramSide.SHORT
                                            : DatagramSide.PATIENT)
                            .build());
        }

        void post(long id) {
            receives.postReceive(new ReceiveWorkRequest().id(id).add(memory, id * SLOT, SLOT));
        }

        void send(long id, int to, int length) {
            DatagramQueuePair target = queuePairs.get(to);
            sender.send(
                    id,
                    sender.queuePair.createAddressHandle(target.localAddress(), target.number(), target.key()),
                    0,
                    length);
        }

        WorkCompletion next() {
            world.until("a completion", () -> completions.poll(one) == 1);
            WorkCompletion copy = one[0];
            one[0] = new WorkCompletion();
            return copy;
        }

        /** {@return a completion; null if {@code over} is true first} */
        @Nullable
        WorkCompletion nextOr(BooleanSupplier over) {
            int[] taken = new int[1];
            world.until("a completion, or that there is none", () -> {
                taken[0] = completions.poll(one);
                return taken[0] == 1 || over.getAsBoolean();
            });
            return taken[0] == 1 ? one[0] : null;
        }

        WorkCompletion success() {
            WorkCompletion completion = next();
            assertThat(completion.status()).as(completion::describe).isEqualTo(WorkCompletionStatus.SUCCESS);
            return completion;
        }

        void nothing() {
            world.settle();
            assertThat(completions.poll(one)).isZero();
        }

        long counter(String name) {
            return DatagramWorld.counter(context, name);
        }

        int posted() {
            return ((RnicSharedReceiveQueue) receives).posted();
        }
    }

    @Test
    @DisplayName("is among the capabilities of the device")
    void device() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            DeviceAttributes has = world.context(0).device().attributes();
            assertThat(has.maxSharedReceiveQueues()).isPositive();
            assertThat(has.maxSharedReceiveWorkRequests()).isEqualTo(has.maxWorkRequests());
            assertThat(has.maxSharedReceiveScatterGatherElements()).isEqualTo(has.maxScatterGatherElements());
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("worlds")
    @DisplayName("gives its receives in order, each once, to the queue pairs that get messages")
    void serves(DatagramWorld.Kind kind, QueuePairType type) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, type, 16, 3);
            for (int i = 0; i < 9; i++) {
                sharing.post(i);
            }
            for (int i = 0; i < 9; i++) {
                sharing.sender.write(0, "message " + i);
                sharing.send(i, i % 3, i % 2 == 0 ? 9 : LONG);
                WorkCompletion received = sharing.success();
                assertThat(received.id()).isEqualTo(i);
                assertThat(received.queuePairNumber())
                        .isEqualTo(sharing.queuePairs.get(i % 3).number());
                byte[] bytes = new byte[9];
                sharing.memory.buffer().get(i * SLOT, bytes);
                assertThat(new String(bytes, StandardCharsets.US_ASCII)).isEqualTo("message " + i);
                sharing.sender.success();
            }
            assertThat(sharing.posted()).isZero();
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("worlds")
    @DisplayName("accepts a post as soon as a completion was taken, and rejects posts while it is full")
    void full(DatagramWorld.Kind kind, QueuePairType type) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, type, 2, 2);
            ReceiveWorkRequest request = new ReceiveWorkRequest();
            assertThat(sharing.receives.postReceive(new ReceiveWorkRequest[] {request, request, request}, 3))
                    .isEqualTo(2);
            assertThatThrownBy(() -> sharing.receives.postReceive(request))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.QUEUE_FULL));
            for (int i = 0; i < 20; i++) {
                sharing.send(i, i % 2, 0);
                sharing.success();
                sharing.receives.postReceive(request);
                sharing.sender.success();
            }
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("worlds")
    @DisplayName("reports once that fewer receives than the limit are left")
    void limit(DatagramWorld.Kind kind, QueuePairType type) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, type, 8, 2);
            for (int i = 0; i < 4; i++) {
                sharing.post(i);
            }
            sharing.receives.armLimit(3);
            sharing.send(1, 0, 8);
            sharing.success();
            assertThat(sharing.receives.limit()).as("three are left").isEqualTo(3);
            sharing.send(2, 1, 8);
            sharing.success();
            AsyncEvent event = world.asyncEvent(sharing.context, AsyncEventType.SRQ_LIMIT_REACHED);
            assertThat(event.element()).isSameAs(sharing.receives);
            assertThat(sharing.receives.limit()).isZero();
        }
    }

    @EachDatagramWorld
    @DisplayName("that is empty drops and counts a message of UD; later messages find later receives")
    void emptyUnreliable(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, QueuePairType.UD, 8, 2);
            sharing.send(1, 0, 8);
            world.until("it is counted", () -> sharing.counter("no_recv_wr") == 1);
            sharing.post(0);
            sharing.nothing();
            sharing.send(2, 1, 8);
            assertThat(sharing.success().id()).isZero();
        }
    }

    @EachDatagramWorld
    @DisplayName("that is empty makes messages of RD wait, at all its queue pairs, until receives are posted")
    void emptyReliable(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, QueuePairType.RD, 8, 3);
            for (int i = 0; i < 3; i++) {
                sharing.send(i, i, i == 2 ? LONG : 8);
            }
            world.until("all three wait", () -> sharing.counter("no_recv_wr") >= 3);
            Set<Integer> reached = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                sharing.post(i);
                WorkCompletion received = sharing.success();
                assertThat(received.id()).isEqualTo(i);
                reached.add(received.queuePairNumber());
            }
            assertThat(reached).hasSize(3);
            assertThat(sharing.sender.next(3)).allMatch(WorkCompletion::succeeded);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("worlds")
    @DisplayName("keeps a receive that is too small for a message, for the next queue pair")
    void tooSmall(DatagramWorld.Kind kind, QueuePairType type) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, type, 8, 2, 2);
            sharing.receives.postReceive(new ReceiveWorkRequest().id(7).add(sharing.memory, 0, 8));
            // UD: more messages than entries for completions; each releases its entry. RD: the first one ends the
            // channel.
            for (int refused = 1; refused <= (type == QueuePairType.UD ? 4 : 1); refused++) {
                int times = refused;
                sharing.send(1, 0, 9);
                world.until(
                        "it is refused, and the receive is there again",
                        () -> sharing.counter("recv_too_small") >= times && sharing.posted() == 1);
            }
            sharing.send(3, 1, 8);
            WorkCompletion received = sharing.success();
            assertThat(received.id()).isEqualTo(7);
            assertThat(received.queuePairNumber())
                    .isEqualTo(sharing.queuePairs.get(1).number());
        }
    }

    @Test
    @DisplayName("gets back the receive of an incomplete Send, at its head")
    void recycled() {
        try (DatagramWorld world =
                DatagramWorld.of(DatagramWorld.Kind.INLINE, Map.of("jwarp.udp.inject", "loss=30%,seed=3"))) {
            Sharing sharing = new Sharing(world, QueuePairType.UD, 4, 2);
            Deque<Long> posted = new ArrayDeque<>(List.of(0L, 1L, 2L));
            posted.forEach(sharing::post);
            boolean orderSeen = false;
            for (int i = 0; !orderSeen; i++) {
                assertThat(i).as("a complete message after an incomplete one").isLessThan(1000);
                sharing.send(i, i % 2, LONG);
                sharing.sender.next();
                world.settle();
                WorkCompletion received = sharing.nextOr(() -> sharing.posted() == posted.size());
                if (received != null) {
                    long id = posted.remove();
                    assertThat(received.id()).isEqualTo(id);
                    orderSeen = sharing.counter("sends_lost") > 0;
                    sharing.post(id);
                    posted.add(id);
                }
            }
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("worlds")
    @DisplayName(
            "keeps the receives that a failed or closed queue pair did not take, and reports that it takes no more")
    void survives(DatagramWorld.Kind kind, QueuePairType type) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, type, 8, 3);
            sharing.post(0);
            sharing.post(1);
            sharing.queuePairs.get(0).modify(QueuePairState.ERR);
            AsyncEvent last = world.asyncEvent(sharing.context, AsyncEventType.QP_LAST_WQE_REACHED);
            assertThat(last.element()).isSameAs(sharing.queuePairs.get(0));
            sharing.queuePairs.get(1).close();
            sharing.nothing();
            sharing.send(1, 2, 8);
            WorkCompletion received = sharing.success();
            assertThat(received.id()).isZero();
            assertThat(received.queuePairNumber())
                    .isEqualTo(sharing.queuePairs.get(2).number());
            sharing.queuePairs.get(0).modify(QueuePairState.RTS);
            assertThat(sharing.posted()).isEqualTo(1);
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("worlds")
    @DisplayName(
            "skips receives with deregistered memory: they complete as LOC_PROT_ERR, and the message takes the next one")
    void deregistered(DatagramWorld.Kind kind, QueuePairType type) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, type, 8, 2);
            MemoryRegion gone = sharing.domain.allocate(SLOT, AccessFlag.LOCAL_WRITE);
            sharing.receives.postReceive(new ReceiveWorkRequest().id(5).add(gone, 0, 8));
            sharing.post(6);
            gone.close();
            sharing.send(1, 1, 8);
            WorkCompletion lost = sharing.next();
            assertThat(lost.id()).isEqualTo(5);
            assertThat(lost.status()).isEqualTo(WorkCompletionStatus.LOC_PROT_ERR);
            assertThat(sharing.success().id()).isEqualTo(6);
        }
    }

    @EachDatagramWorld
    @DisplayName("with a full completion queue makes messages of RD wait until completions are taken")
    void completionsFull(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, QueuePairType.RD, 8, 2, 2);
            for (int i = 0; i < 4; i++) {
                sharing.post(i);
                sharing.send(i, i % 2, 8);
            }
            world.until("others wait for a place", () -> sharing.counter("no_cq_place") >= 1 && sharing.posted() == 2);
            Set<Long> filled = new HashSet<>();
            for (int i = 0; i < 4; i++) {
                filled.add(sharing.success().id());
            }
            assertThat(filled).hasSize(4);
            assertThat(sharing.sender.next(4)).allMatch(WorkCompletion::succeeded);
        }
    }

    @EachDatagramWorld
    @DisplayName("with a full completion queue drops and counts a message of UD; the receive stays")
    void completionsFullUnreliable(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            Sharing sharing = new Sharing(world, QueuePairType.UD, 8, 1, 1);
            sharing.post(0);
            sharing.post(1);
            sharing.send(0, 0, 8);
            sharing.sender.success();
            world.until("the first has come", () -> sharing.posted() == 1);
            sharing.send(1, 0, 8);
            world.until("it is counted", () -> sharing.counter("no_cq_place") == 1);
            assertThat(sharing.posted()).isEqualTo(1);
            assertThat(sharing.success().id()).isZero();
            sharing.send(2, 0, 8);
            assertThat(sharing.success().id()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("takes the receives of its queue pairs, is closed after them, and belongs to their domain")
    void refusals() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            Sharing sharing = new Sharing(world, QueuePairType.UD, 4, 1);
            DatagramQueuePair one = sharing.queuePairs.get(0);
            ReceiveWorkRequest request = new ReceiveWorkRequest().add(sharing.memory, 0, 8);
            String where = sharing.receives + ": post them there";
            assertThatThrownBy(() -> one.postReceive(request)).hasMessageContaining(where);
            assertThatThrownBy(() -> one.tryPostReceive(request)).hasMessageContaining(where);
            assertThatThrownBy(() -> one.postReceive(new ReceiveWorkRequest[] {request}, 1))
                    .hasMessageContaining(where);
            assertThatThrownBy(sharing.receives::close)
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.RESOURCE_BUSY));
            ProtectionDomain other = sharing.context.allocateProtectionDomain();
            assertThatThrownBy(() -> other.createDatagramQueuePair(
                            QueuePairType.RD,
                            QueuePairAttributes.builder(sharing.completions)
                                    .sharedReceiveQueue(sharing.receives)
                                    .build(),
                            DatagramAttributes.builder(world.address(0, 0)).build()))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining(sharing.receives + " is not of " + other);
            one.close();
            sharing.receives.close();
            assertThatThrownBy(() -> sharing.newQueuePair(QueuePairType.UD))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
            sharing.memory.close();
            sharing.domain.close();
        }
    }

    @Test
    @DisplayName("divides the receives that incomplete Sends may hold equally among its queue pairs")
    void parts() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            Sharing sharing = new Sharing(world, QueuePairType.UD, 12, 1);
            RnicSharedReceiveQueue queue = (RnicSharedReceiveQueue) sharing.receives;
            assertThat(queue.part()).isEqualTo(12);
            DatagramQueuePair second = sharing.newQueuePair(QueuePairType.UD);
            DatagramQueuePair third = sharing.newQueuePair(QueuePairType.RD);
            assertThat(queue.part()).isEqualTo(4);
            second.close();
            third.close();
            assertThat(queue.part()).isEqualTo(12);
        }
    }

    @Test
    @DisplayName("loses no receive to RDMA Writes of peers")
    void writesTakeNone() {
        try (DatagramWorld world = DatagramWorld.of(DatagramWorld.Kind.SIMULATED)) {
            Sharing sharing = new Sharing(world, QueuePairType.UD, 4, 1);
            sharing.post(0);
            MemoryRegion target =
                    sharing.domain.allocate(64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.RECORD);
            DatagramQueuePair one = sharing.queuePairs.get(0);
            sharing.sender.queuePair.postSend(new SendWorkRequest()
                    .id(9)
                    .destination(
                            sharing.sender.queuePair.createAddressHandle(one.localAddress(), one.number(), one.key()))
                    .writeRecord(target.address(), target.rkey())
                    .add(sharing.sender.memory, 0, 8));
            WorkCompletion record = sharing.success();
            record.release();
            assertThat(sharing.posted()).isEqualTo(1);
        }
    }
}
