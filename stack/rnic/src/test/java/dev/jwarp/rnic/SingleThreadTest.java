package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.ProgressCondition;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.ThreadModel;
import dev.jwarp.verbs.WorkCompletion;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A context for a single thread")
class SingleThreadTest {
    private static final Map<String, String> SINGLE = Map.of("jwarp.threads", "single");
    private static final Duration FOR_EVER = Duration.ofDays(50_000);
    private static final int LENGTH = 8;

    private static World world() {
        return World.of(World.Kind.INLINE, SINGLE);
    }

    private static CompletableFuture<Void> start(Runnable call) {
        return CompletableFuture.runAsync(call, command -> new Thread(command, "stranger").start());
    }

    /** {@return what {@code call} threw on a thread of its own} */
    private static @Nullable Throwable elsewhere(Runnable call) {
        return start(call)
                .handle((nothing, thrown) -> thrown == null ? null : thrown.getCause())
                .join();
    }

    @Test
    @DisplayName("moves connections' messages and datagrams")
    void messages() {
        try (World world = world()) {
            assertThat(world.connecting().threadModel()).isEqualTo(ThreadModel.SINGLE);
            Connected connected = Connected.in(world);
            DatagramWorld datagrams = DatagramWorld.in(world);
            DatagramSide to = DatagramSide.on(datagrams, 0);
            DatagramSide from = DatagramSide.on(datagrams, 1);
            for (int i = 0; i < 200; i++) {
                connected.passive.receive(1, 0, LENGTH);
                connected.active.write(0, "straight").send(3, 0, LENGTH);
                assertThat(connected.active.success().id()).isEqualTo(3);
                assertThat(connected.passive.success().id()).isEqualTo(1);
                assertThat(connected.passive.read(0, LENGTH)).isEqualTo("straight");
                to.receive(2, 0, LENGTH);
                from.write(0, "datagram");
                from.send(4, from.to(to), 0, LENGTH);
                assertThat(from.success().id()).isEqualTo(4);
                assertThat(to.success().id()).isEqualTo(2);
                assertThat(to.read(0, LENGTH)).isEqualTo("datagram");
            }
            connected.active.id.disconnect();
            connected.passive.event(CmEventType.DISCONNECTED);
        }
    }

    @Test
    @DisplayName("refuses the calls of other threads with WRONG_STATE and a sentence, and goes on")
    void foreign() {
        try (World world = world()) {
            Context context = world.connecting();
            Connected connected = Connected.in(world);
            Endpoint end = connected.active;
            DatagramWorld datagrams = DatagramWorld.in(world);
            DatagramSide to = DatagramSide.on(datagrams, 0);
            DatagramSide from = DatagramSide.on(datagrams, 1);
            AddressHandle handle = from.to(to);
            SharedReceiveQueue shared = end.domain.createSharedReceiveQueue(4, 1);
            ProgressCondition condition = context.newCondition(() -> true);
            CmId unbound = context.createId(end.events);
            SendWorkRequest send = new SendWorkRequest().send();
            ReceiveWorkRequest receive = new ReceiveWorkRequest();
            WorkCompletion[] into = WorkCompletion.array(1);
            Map<String, Runnable> calls = new LinkedHashMap<>();
            calls.put("postSend", () -> end.queuePair.postSend(send));
            calls.put("tryPostSend", () -> end.queuePair.tryPostSend(send));
            calls.put("postSend, a list", () -> end.queuePair.postSend(new SendWorkRequest[] {send}, 1));
            calls.put("postReceive", () -> end.queuePair.postReceive(receive));
            calls.put("postReceive, shared", () -> shared.postReceive(receive));
            calls.put("armLimit", () -> shared.armLimit(1));
            calls.put("postSend, datagrams", () -> from.queuePair.postSend(send.destination(handle)));
            calls.put("requestNotification", () -> end.completions.requestNotification(false));
            calls.put("onCompletion", () -> end.completions.onCompletion((queue, completions, count) -> {}));
            calls.put("poll of a completion queue", () -> end.completions.poll(into));
            calls.put("await of a completion queue", () -> end.completions.await(into, Duration.ZERO));
            calls.put("poll of a channel", end.events::poll);
            calls.put("await of a channel", () -> end.events.await(Duration.ZERO));
            calls.put("await of a condition", () -> condition.await(Duration.ZERO));
            calls.put("poll", context::poll);
            calls.put("flush", context::flush);
            calls.put("await", () -> context.await(Duration.ZERO));
            calls.put("pollAsyncEvent", context::pollAsyncEvent);
            calls.put("createCompletionQueue", () -> context.createCompletionQueue(1));
            calls.put("allocateProtectionDomain", context::allocateProtectionDomain);
            calls.put("createId", () -> context.createId(end.events));
            calls.put("allocate", () -> end.domain.allocate(1));
            calls.put("bind", () -> unbound.bind(world.address(0)));
            calls.put("useQueuePair", () -> unbound.useQueuePair(end.queuePair));
            calls.put("readAll", () -> from.queuePair.readAll(send, 1));
            calls.put("createAddressHandle", () -> from.to(to));
            calls.put("untilPoll", context::untilPoll);
            calls.put("disconnect", end.id::disconnect);
            calls.put("modify", () -> end.queuePair.modify(QueuePairState.ERR));
            calls.put("close of a handle", handle::close);
            calls.put("close of a region", end.memory::close);
            calls.put("close of a shared receive queue", shared::close);
            calls.put("close of a queue pair", end.queuePair::close);
            calls.put("close of an id", end.id::close);
            calls.put("close of a channel", end.events::close);
            calls.put("close of a completion queue", end.completions::close);
            calls.put("close of a domain", end.domain::close);
            calls.put("close", context::close);
            SoftAssertions refusals = new SoftAssertions();
            calls.forEach((name, call) -> refusals.assertThat(elsewhere(call))
                    .as(name)
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.WRONG_STATE))
                    .hasMessageContaining("jwarp.threads=single")
                    .hasMessageContaining("stranger"));
            refusals.assertAll();
            connected.passive.receive(1, 0, LENGTH);
            end.write(0, "goes on.").send(2, 0, LENGTH);
            assertThat(connected.passive.success().id()).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("returns from a wait when another thread wakes its thread, or signals the condition")
    void woken() {
        try (World world = world()) {
            Context context = world.connecting();
            AtomicBoolean ready = new AtomicBoolean();
            ProgressCondition condition = context.newCondition(ready::get);
            for (int i = 0; i < 100; i++) {
                ready.set(false);
                CompletableFuture<Void> signalled = start(() -> {
                    ready.set(true);
                    condition.signal();
                });
                assertThat(condition.await(FOR_EVER)).isTrue();
                signalled.join();
                CompletableFuture<Void> woken = start(context::wakeup);
                context.await(FOR_EVER);
                woken.join();
                context.await(Duration.ZERO); // a wakeup that the first wait did not need
            }
        }
    }

    @Test
    @DisplayName("can be closed by any thread when its thread has ended")
    void orphan() {
        World[] world = new World[1];
        start(() -> {
                    world[0] = world();
                    Connected.in(world[0]);
                })
                .join();
        await().until(() -> elsewhere(world[0].connecting()::poll) == null);
        world[0].close();
        assertThatThrownBy(() -> world[0].connecting().createCompletionQueue(1))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
    }

    @Test
    @DisplayName("needs inline progress")
    void threaded() {
        assertThatThrownBy(() -> World.of(World.Kind.THREADED, SINGLE))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.INVALID_SETTING))
                .hasMessageContaining("jwarp.threads=single needs inline progress");
    }
}
