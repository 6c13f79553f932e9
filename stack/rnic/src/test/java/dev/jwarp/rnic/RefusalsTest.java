package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An invalid call is rejected at once, with a message, and changes nothing:")
class RefusalsTest {
    private World world;
    private Connected pair;
    private Endpoint side;

    @BeforeEach
    void connect() {
        world = World.of(World.Kind.SIMULATED);
        pair = Connected.in(
                world,
                wishes -> wishes.maxSendWorkRequests(4)
                        .maxReceiveWorkRequests(4)
                        .maxSendElements(2)
                        .maxReceiveElements(2)
                        .maxInlineData(8));
        side = pair.active;
    }

    @AfterEach
    void nothingWasPosted() {
        assertThat(side.queuePair.query().sendsOutstanding()).isZero();
        assertThat(side.queuePair.query().receivesOutstanding()).isZero();
        pair.passive.receive(1, 0, 8);
        side.send(1, 0, 8);
        side.success();
        world.close();
    }

    private static void refused(RdmaErrorCode code, String words, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(words);
    }

    private void refusedSend(RdmaErrorCode code, String words, Consumer<SendWorkRequest> filler) {
        SendWorkRequest request = new SendWorkRequest().id(77);
        filler.accept(request);
        refused(code, words, () -> side.queuePair.postSend(request));
    }

    @Test
    @DisplayName("an lkey that is no region")
    void unknownLkey() {
        refusedSend(RdmaErrorCode.INVALID_LKEY, "send wr_id=77", r -> r.add(0, 1, 0x1234));
        refused(
                RdmaErrorCode.INVALID_LKEY,
                "Element 1 of receive wr_id=5: lkey 0x00001234",
                () -> side.queuePair.postReceive(
                        new ReceiveWorkRequest().id(5).add(side.memory, 0, 1).add(0, 1, 0x1234)));
    }

    @Test
    @DisplayName("a region of another protection domain")
    void otherDomain() {
        try (ProtectionDomain other = side.context.allocateProtectionDomain();
                MemoryRegion foreign = other.allocate(8)) {
            refusedSend(RdmaErrorCode.INVALID_LKEY, "no memory region of protection domain", r -> r.add(foreign));
        }
    }

    @Test
    @DisplayName("a region that is closed")
    void closedRegion() {
        MemoryRegion region = side.domain.allocate(8);
        region.close();
        refusedSend(RdmaErrorCode.INVALID_LKEY, "no memory region", r -> r.add(region));
    }

    @Test
    @DisplayName("bytes outside the region: before, after, across the end, or a negative length")
    void bounds() {
        MemoryRegion region = side.domain.allocate(8);
        long start = region.address();
        refusedSend(RdmaErrorCode.OUT_OF_BOUNDS, "9 bytes", r -> r.add(start, 9, region.lkey()));
        refusedSend(RdmaErrorCode.OUT_OF_BOUNDS, "not inside", r -> r.add(start - 1, 8, region.lkey()));
        refusedSend(RdmaErrorCode.OUT_OF_BOUNDS, "not inside", r -> r.add(start + 1, 8, region.lkey()));
        refusedSend(RdmaErrorCode.OUT_OF_BOUNDS, "-1 bytes", r -> r.add(start, -1, region.lkey()));
        region.close();
    }

    @Test
    @DisplayName("a receive of 2 GiB or more")
    void longReceive() {
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "receive wr_id=5 has 2147483648 bytes; a receive has at most 2147483647.",
                () -> side.queuePair.postReceive(
                        new ReceiveWorkRequest().id(5).add(side.memory, 0, 1).add(0, Integer.MAX_VALUE, 0x1234)));
    }

    @Test
    @DisplayName("the attributes of receives are ignored with a shared receive queue")
    void noReceivesOfItsOwn() {
        SharedReceiveQueue shared = side.domain.createSharedReceiveQueue(4, 1);
        QueuePairAttributes wanted = QueuePairAttributes.builder(side.completions)
                .sharedReceiveQueue(shared)
                .maxReceiveWorkRequests(100_000)
                .maxReceiveElements(64)
                .build();
        try (QueuePair pair = side.domain.createQueuePair(wanted)) {
            assertThat(pair.attributes().maxReceiveWorkRequests()).isZero();
            assertThat(pair.attributes().maxReceiveElements()).isZero();
        }
        shared.close();
    }

    @Test
    @DisplayName("receiving, reading or swapping into a region without LOCAL_WRITE")
    void noLocalWrite() {
        MemoryRegion region = side.domain.allocate(8, AccessFlag.REMOTE_READ);
        String words = "registered without LOCAL_WRITE";
        refused(
                RdmaErrorCode.ACCESS_DENIED,
                words,
                () -> side.queuePair.postReceive(new ReceiveWorkRequest().add(region)));
        refusedSend(RdmaErrorCode.ACCESS_DENIED, words, r -> r.rdmaRead(0, 0).add(region));
        refusedSend(
                RdmaErrorCode.ACCESS_DENIED, words, r -> r.fetchAndAdd(0, 0, 1).add(region));
        region.close();
    }

    @Test
    @DisplayName(
            "more elements than the queue pair permits, more than one for a Read, any for an operation without data")
    void elements() {
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "has 3 scatter/gather elements, but may have 2",
                r -> r.add(side.memory, 0, 1).add(side.memory, 0, 1).add(side.memory, 0, 1));
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "may have 1",
                r -> r.rdmaRead(0, 0).add(side.memory, 0, 1).add(side.memory, 0, 1));
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "LOCAL_INV takes no scatter/gather elements",
                r -> r.localInvalidate(3).add(side.memory, 0, 1));
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "IMMEDIATE_DATA takes no scatter/gather elements",
                r -> r.immediateData(3).add(side.memory, 0, 1));
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "no scatter/gather element whose STag",
                r -> r.rdmaReadWithInvalidate(0, 0));
    }

    @Test
    @DisplayName("an Atomic with a result of another length than 8")
    void atomicLength() {
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "one scatter/gather element of 8 bytes",
                r -> r.compareAndSwap(0, 0, 1, 2).add(side.memory, 0, 4));
        refusedSend(RdmaErrorCode.INVALID_ARGUMENT, "not 0 bytes", r -> r.fetchAndAdd(0, 0, 1));
    }

    @Test
    @DisplayName("more inline data than the queue pair permits, or inline data of an operation without payload")
    void inline() {
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT, "9 bytes of inline data", r -> r.inlineData(ByteBuffer.allocate(9)));
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "9 bytes of inline data",
                r -> r.inline(true).add(side.memory, 0, 9));
        refusedSend(
                RdmaErrorCode.INVALID_ARGUMENT,
                "inline is for Sends and Writes",
                r -> r.rdmaRead(0, 0).inline(true).add(side.memory, 0, 8));
    }

    @Test
    @DisplayName("a bad request in a list: those before it stay posted, and the exception counts them")
    void list() {
        for (int i = 0; i < 2; i++) {
            pair.passive.receive(i, 0, 8);
        }
        SendWorkRequest[] list = {
            new SendWorkRequest().id(1),
            new SendWorkRequest().id(2),
            new SendWorkRequest().id(3).add(0, 1, 9),
        };
        assertThatThrownBy(() -> side.queuePair.postSend(list, 3)).isInstanceOfSatisfying(RdmaException.class, e -> {
            assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_LKEY);
            assertThat(e.posted()).isEqualTo(2);
        });
        assertThat(side.success().id()).isEqualTo(1);
        assertThat(side.success().id()).isEqualTo(2);
    }

    @Test
    @DisplayName("registering memory that is not direct, that wraps around, or that only peers could write")
    void registration() {
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "Only direct buffers",
                () -> side.domain.register(ByteBuffer.allocate(8)));
        ByteBuffer direct = ByteBuffer.allocateDirect(8);
        refused(RdmaErrorCode.INVALID_ARGUMENT, "2^64", () -> side.domain.register(direct, -8L));
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "need LOCAL_WRITE",
                () -> side.domain.register(direct, AccessFlag.REMOTE_WRITE));
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "Read-only memory",
                () -> side.domain.register(direct.asReadOnlyBuffer(), AccessFlag.LOCAL_WRITE));
    }

    @Test
    @DisplayName("creating objects of an impossible size")
    void sizes() {
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "entries of a completion queue is 1 to",
                () -> side.context.createCompletionQueue(0));
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "send work requests is 1 to 32768, not 40000",
                () -> side.domain.createQueuePair(QueuePairAttributes.builder(side.completions)
                        .maxSendWorkRequests(40_000)
                        .build()));
        refused(
                RdmaErrorCode.INVALID_ARGUMENT,
                "work requests of a shared receive queue",
                () -> side.domain.createSharedReceiveQueue(0, 1));
        refused(RdmaErrorCode.INVALID_ARGUMENT, "not -1", () -> side.domain.allocate(-1));
    }
}
