package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachTcpWorld;
import dev.jwarp.rnic.EachWorld;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.World;
import dev.jwarp.rnic.memory.MemoryParts;
import dev.jwarp.rnic.memory.RnicProtectionDomain;
import dev.jwarp.vectors.OwnThread;
import dev.jwarp.vectors.Patience;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Deregistration")
class DeregistrationTest {
    private static LlpConnection connection(Endpoint side) {
        QueuePairConnection connection = Objects.requireNonNull(((RnicQueuePair) side.queuePair).connection());
        return Objects.requireNonNull(connection.owner());
    }

    /**
     * Closes {@code what} while the owner of a connection is in a call, and checks whether the close waits for the end
     * of the call.
     */
    private static void close(World world, Connected pair, AutoCloseable what, boolean waits) throws Exception {
        CountDownLatch placing = new CountDownLatch(1);
        CountDownLatch placed = new CountDownLatch(1);
        AtomicBoolean stop = new AtomicBoolean();
        connection(pair.passive).execute(() -> {
            placing.countDown();
            awaitUninterruptibly(placed);
        });
        CompletableFuture<Void> driver = CompletableFuture.runAsync(
                () -> {
                    while (!stop.get()) {
                        world.listening().poll();
                    }
                },
                OwnThread.EACH);
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Thread closer = new Thread(() -> {
            try {
                what.close();
                closed.complete(null);
            } catch (Exception e) {
                closed.completeExceptionally(e);
            }
        });
        try {
            assertThat(placing.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
            closer.start();
            if (!waits) {
                closed.get(Patience.SECONDS, TimeUnit.SECONDS);
                return;
            }
            Awaitility.await().until(() -> switch (closer.getState()) {
                case TIMED_WAITING, WAITING, TERMINATED -> true;
                default -> false;
            });
            // A timeout that is too short has expired by then.
            Awaitility.await().during(Duration.ofMillis(100)).until(() -> true);
            assertThat(closed).isNotDone();
        } finally {
            placed.countDown();
            closed.get(Patience.SECONDS, TimeUnit.SECONDS);
            stop.set(true);
            driver.get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @EachTcpWorld
    @DisplayName("of a region waits for a placement by another thread")
    void region(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            close(world, pair, pair.passive.memory, true);
        }
    }

    @EachTcpWorld
    @DisplayName("of a region that another thread is closing waits, too")
    void secondCloser(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryParts.deregister(pair.passive.memory); // the state of the other thread
            close(world, pair, pair.passive.memory, true);
            // After one thread has seen the end, no other thread waits.
            close(world, pair, pair.passive.memory, false);
        }
    }

    @EachTcpWorld
    @DisplayName("of a window that another thread is closing waits, too")
    void secondCloserOfWindow(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryWindow window = pair.passive.domain.allocateWindow();
            MemoryParts.deregister(window);
            close(world, pair, window, true);
        }
    }

    @EachTcpWorld
    @DisplayName("waits without a timeout for an owner that gets no processor time")
    void starvedOwner(World.Kind kind) throws Exception {
        // The timeout for the end of connections must not apply to other waits.
        try (World world = World.of(kind, Map.of("jwarp.rdmap.disconnect-timeout", "1"))) {
            Connected pair = Connected.in(world);
            close(world, pair, pair.passive.memory, true);
        }
    }

    @Test
    @DisplayName("throws if the thread that may be placing has died")
    void deadOwner() {
        try (World world = World.of(World.Kind.THREADED)) {
            Connected pair = Connected.in(world);
            QueuePairConnection connection =
                    Objects.requireNonNull(((RnicQueuePair) pair.passive.queuePair).connection());
            LlpConnection alive = connection(pair.passive);
            connection.owner((LlpConnection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LlpConnection.class}, (proxy, method, arguments) -> {
                        throw new RejectedExecutionException("as if");
                    }));
            assertThatThrownBy(pair.passive.memory::close)
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INTERNAL));
            connection.owner(alive);
        }
    }

    @EachTcpWorld
    @DisplayName("of a window waits for a placement by another thread")
    void window(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            close(world, pair, pair.passive.domain.allocateWindow(), true);
        }
    }

    @Test
    @DisplayName("requests answers of all owners before it waits for the first")
    void allAtOnce() throws Exception {
        try (World world = World.of(World.Kind.THREADED)) {
            Connected pair = Connected.in(world);
            RnicProtectionDomain domain = (RnicProtectionDomain) pair.passive.domain;
            LiveConnections connections = new LiveConnections(domain.core().progression());
            List<Runnable> asked = new CopyOnWriteArrayList<>();
            LlpConnection busy = (LlpConnection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LlpConnection.class}, (proxy, method, arguments) -> {
                        asked.add((Runnable) arguments[0]);
                        return null;
                    });
            List<RnicQueuePair> queuePairs = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                RnicQueuePair queuePair = (RnicQueuePair) domain.createQueuePair(
                        QueuePairAttributes.builder(pair.passive.completions).build());
                queuePair.modify(QueuePairState.INIT);
                QueuePairConnection connection = queuePair.begin(((RnicCmId) pair.passive.id).life());
                connection.owner(busy);
                connections.began(connection);
                queuePairs.add(queuePair);
            }
            CompletableFuture<Void> fenced =
                    CompletableFuture.runAsync(() -> connections.fence(domain), OwnThread.EACH);
            Awaitility.await().until(() -> asked.size() == 3);
            assertThat(fenced).isNotDone();
            asked.forEach(Runnable::run);
            fenced.get(Patience.SECONDS, TimeUnit.SECONDS);
            for (RnicQueuePair queuePair : queuePairs) {
                queuePair.unbegin(Objects.requireNonNull(queuePair.connection()));
                queuePair.close();
            }
        }
    }

    @EachTcpWorld
    @DisplayName("does not wait for connections of other domains")
    void others(World.Kind kind) throws Exception {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            close(world, pair, world.listening().allocateProtectionDomain().allocate(8, AccessFlag.LOCAL_WRITE), false);
        }
    }

    @EachWorld
    @DisplayName("by the owner itself does not wait")
    void owner(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            AtomicBoolean done = new AtomicBoolean();
            connection(pair.passive).execute(() -> {
                pair.passive.memory.close();
                done.set(true);
            });
            world.until("the region is closed", done::get);
        }
    }
}
