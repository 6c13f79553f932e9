package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Synchronous ids")
class SynchronousIdsTest {
    private static final Duration PATIENCE = Endpoint.PATIENCE;

    private static CmId listener(World world) {
        CmId id = world.listening().createId();
        id.bind(world.address(0));
        id.listen(0);
        return id;
    }

    private static InetSocketAddress address(CmId listener) {
        return Objects.requireNonNull(listener.localAddress());
    }

    /** Sends every message back until the peer disconnects. {@return the number of messages} */
    private static int echo(CmId listener) {
        Context context = listener.context();
        int echoed = 0;
        try (ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue completions = context.createCompletionQueue(16);
                MemoryRegion memory = domain.allocate(64, AccessFlag.LOCAL_WRITE);
                CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE));
                QueuePair queuePair = id.createQueuePair(
                        domain,
                        QueuePairAttributes.builder(completions)
                                .maxInlineData(64)
                                .build())) {
            SendWorkRequest send = new SendWorkRequest();
            ReceiveWorkRequest receive = new ReceiveWorkRequest().add(memory);
            queuePair.postReceive(receive);
            id.accept(ConnectionParameters.DEFAULT);
            WorkCompletion[] one = WorkCompletion.array(1);
            while (completions.await(one, PATIENCE) == 1 && one[0].succeeded()) {
                byte[] octets = new byte[one[0].byteLength()];
                memory.buffer().get(0, octets);
                // Posted before the answer: the next message may follow it at once.
                queuePair.postReceive(receive);
                queuePair.postSend(send.clear().signaled(false).inlineData(ByteBuffer.wrap(octets)));
                echoed++;
            }
            id.disconnect();
        }
        return echoed;
    }

    @EachTcpWorld
    @DisplayName("allow a client of a few lines, in which each call waits for its outcome")
    void echo(World.Kind kind) throws Exception {
        try (World world = World.of(kind);
                CmId listener = listener(world)) {
            CompletableFuture<Integer> server = CompletableFuture.supplyAsync(() -> echo(listener), OwnThread.EACH);
            Context context = world.connecting();
            try (ProtectionDomain domain = context.allocateProtectionDomain();
                    CompletionQueue completions = context.createCompletionQueue(16);
                    MemoryRegion memory = domain.allocate(4096, AccessFlag.LOCAL_WRITE);
                    CmId id = context.createId()) {
                id.resolveAddress(null, address(listener));
                id.resolveRoute();
                QueuePair queuePair = id.createQueuePair(
                        domain, QueuePairAttributes.builder(completions).build());
                id.connect(ConnectionParameters.DEFAULT);
                assertThat(Objects.requireNonNull(id.event()).type()).isEqualTo(CmEventType.ESTABLISHED);
                WorkCompletion[] one = WorkCompletion.array(1);
                for (int i = 0; i < 200; i++) {
                    memory.buffer().putInt(0, i);
                    queuePair.postReceive(new ReceiveWorkRequest().id(1).add(memory, 8, 8));
                    queuePair.postSend(new SendWorkRequest().signaled(false).add(memory, 0, 4));
                    assertThat(completions.await(one, PATIENCE)).isEqualTo(1);
                    assertThat(memory.buffer().getInt(8)).isEqualTo(i);
                }
                id.disconnect();
            }
            assertThat(server.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
        }
    }

    private static CmId connecting(World world, InetSocketAddress address) {
        Context context = world.connecting();
        CmId id = context.createId();
        id.resolveAddress(null, address);
        id.createQueuePair(
                context.allocateProtectionDomain(),
                QueuePairAttributes.builder(context.createCompletionQueue(16)).build());
        return id;
    }

    @EachTcpWorld
    @DisplayName("throw when the peer rejects, with its private data")
    void rejected(World.Kind kind) throws Exception {
        try (World world = World.of(kind);
                CmId listener = listener(world)) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(
                    () -> {
                        try (CmId id = Objects.requireNonNull(listener.getRequest(PATIENCE))) {
                            id.reject("no".getBytes(StandardCharsets.US_ASCII));
                        }
                    },
                    OwnThread.EACH);
            CmId id = connecting(world, address(listener));
            assertThatThrownBy(() -> id.connect(ConnectionParameters.DEFAULT))
                    .isInstanceOfSatisfying(RdmaException.class, e -> {
                        assertThat(e.code()).isEqualTo(RdmaErrorCode.REJECTED);
                        assertThat(e.privateData()).isEqualTo("no".getBytes(StandardCharsets.US_ASCII));
                        assertThat(e.code().exitStatus()).isEqualTo(3);
                    });
            server.get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    @EachTcpWorld
    @DisplayName("throw without a listener, without an answer, and for an unknown host")
    void failures(World.Kind kind) throws IOException {
        try (World world = World.of(kind)) {
            CmId listener = listener(world);
            InetSocketAddress address = address(listener);
            CmId slow = connecting(world, address);
            assertThatThrownBy(() -> slow.connect(ConnectionParameters.DEFAULT.withTimeout(Duration.ofMillis(30))))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.TIMED_OUT));
            listener.close();
            CmId refused = connecting(world, world.unheard(address));
            assertThatThrownBy(() -> refused.connect(ConnectionParameters.DEFAULT))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CONNECTION_REFUSED));
            CmId lost = world.connecting().createId();
            assertThatThrownBy(
                            () -> lost.resolveAddress(null, InetSocketAddress.createUnresolved("nowhere.invalid", 1)))
                    .isInstanceOfSatisfying(
                            RdmaException.class,
                            e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_NOT_AVAILABLE));
        }
    }

    @EachTcpWorld
    @DisplayName("wait for requests no longer than the timeout")
    void timeout(World.Kind kind) {
        try (World world = World.of(kind);
                CmId listener = listener(world)) {
            assertThat(listener.getRequest(Duration.ofMillis(5))).isNull();
        }
    }

    @EachTcpWorld
    @DisplayName("are woken when they are closed, or their thread is interrupted")
    void woken(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            CmId listener = listener(world);
            CompletableFuture<RdmaErrorCode> waiting = waitFor(listener);
            listener.close();
            assertThat(waiting.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(RdmaErrorCode.CLOSED);

            CmId other = listener(world);
            CompletableFuture<RdmaErrorCode> interrupted = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                interrupted.complete(codeOfWaiting(other));
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            });
            thread.start();
            awaitWaiting(thread);
            thread.interrupt();
            assertThat(interrupted.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(RdmaErrorCode.INTERRUPTED);
            thread.join();
        }
    }

    private static CompletableFuture<RdmaErrorCode> waitFor(CmId listener) throws InterruptedException {
        CompletableFuture<RdmaErrorCode> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> result.complete(codeOfWaiting(listener)));
        thread.start();
        awaitWaiting(thread);
        return result;
    }

    /**
     * Waits until the thread waits. A thread in a selector counts as running, so this also gives it time to get there.
     */
    private static void awaitWaiting(Thread thread) throws InterruptedException {
        for (int i = 0; i < 20 && thread.getState() != Thread.State.TIMED_WAITING; i++) {
            thread.join(1);
        }
    }

    private static RdmaErrorCode codeOfWaiting(CmId listener) {
        try {
            listener.getRequest(PATIENCE);
            return RdmaErrorCode.INTERNAL;
        } catch (RdmaException e) {
            return e.code();
        }
    }
}
