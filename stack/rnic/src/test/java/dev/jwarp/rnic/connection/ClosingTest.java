package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.rdmap.RdmapStream;
import dev.jwarp.rdmap.StreamState;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachTcpWorld;
import dev.jwarp.rnic.EachWorld;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.Inside;
import dev.jwarp.rnic.World;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEventChannel;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionChannel;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import dev.jwarp.verbs.Context;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.ProtectionDomain;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.SharedReceiveQueue;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Closing")
class ClosingTest {
    private static void busy(AutoCloseable what, String words) {
        assertThatThrownBy(what::close)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.RESOURCE_BUSY))
                .hasMessageContaining(words);
    }

    @Test
    @DisplayName("Objects in use cannot be closed; in the right order all objects can")
    void order() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Context context = world.connecting();
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue completions = context.createCompletionQueue(16, channel);
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemoryRegion region = domain.allocate(8, AccessFlag.LOCAL_WRITE);
            MemoryWindow window = domain.allocateWindow();
            SharedReceiveQueue shared = domain.createSharedReceiveQueue(4, 1);
            QueuePair queuePair = domain.createQueuePair(QueuePairAttributes.builder(completions)
                    .sharedReceiveQueue(shared)
                    .build());
            CmEventChannel events = context.createEventChannel();
            CmId id = context.createId(events);

            busy(channel, "1 completion queue(s)");
            busy(completions, "1 queue pair(s)");
            busy(shared, "1 queue pair(s)");
            busy(domain, "1 queue pair(s), 1 shared receive queue(s), 1 window(s) and 1 region(s)");
            busy(events, "1 connection id(s)");
            queuePair.close();
            completions.close();
            channel.close();
            shared.close();
            window.close();
            region.close();
            domain.close();
            id.close();
            events.close();
        }
    }

    @Test
    @DisplayName("A second close has no effect; calls of closed objects are rejected")
    void closed() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Context context = world.connecting();
            CompletionQueue completions = context.createCompletionQueue(16);
            CompletionChannel channel = context.createCompletionChannel();
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemoryRegion region = domain.allocate(8);
            completions.close();
            completions.close();
            channel.close();
            channel.close();
            region.close();
            region.close();
            domain.close();
            domain.close();
            assertClosed(() -> completions.poll(WorkCompletion.array(1)));
            assertClosed(() -> completions.await(WorkCompletion.array(1), Duration.ofSeconds(1)));
            assertClosed(() -> domain.allocate(8));
            assertThatThrownBy(() -> context.createCompletionQueue(16, channel))
                    .hasMessageContaining("The completion channel is closed");
            assertThat(Inside.completionQueues(context).channels())
                    .as("channels of the context")
                    .isEmpty();
            context.close();
            context.close();
            assertClosed(context::allocateProtectionDomain);
            assertClosed(() -> context.createCompletionQueue(1));
            assertClosed(context::createId);
        }
    }

    private static void assertClosed(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.CLOSED));
    }

    @Test
    @DisplayName(
            "A peer that closes before its first message ends the connection at once, even if requests wait for that message")
    void endBeforeFirstMessage() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Connected pair = Connected.in(world);
            pair.passive.send(1, 0, 8);
            long before = world.network().clock().nowNanos();
            pair.active.id.disconnect();
            assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isNull();
            assertThat(pair.passive.next().status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(world.network().clock().nowNanos() - before).isLessThan(1_000_000_000L);
        }
    }

    @EachWorld
    @DisplayName("Closing a context ends its connections, which the peer notices")
    void context(World.Kind kind) {
        World world = World.of(kind);
        Connected pair = Connected.in(world);
        world.connecting().close();
        if (pair.passive.context != pair.active.context) {
            assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isEqualTo(RdmaErrorCode.DISCONNECTED);
        }
        world.close();
        assertClosed(() -> pair.active.completions.poll(WorkCompletion.array(1)));
        assertClosed(() -> pair.active.events.poll());
    }

    @Test
    @DisplayName("Closing a context lets disconnects in progress finish")
    void contextWaits() {
        World world = World.of(World.Kind.SIMULATED);
        Connected pair = Connected.in(world);
        pair.passive.receive(1, 0, Endpoint.MEMORY);
        pair.active.write(Endpoint.MEMORY - 4, "last").send(1, 0, Endpoint.MEMORY);
        pair.active.id.disconnect();
        world.connecting().close();
        pair.passive.success();
        assertThat(pair.passive.event(CmEventType.DISCONNECTED).error()).isNull();
        assertThat(pair.passive.read(Endpoint.MEMORY - 4, 4)).isEqualTo("last");
        world.close();
    }

    @Test
    @DisplayName("After its close, a queue pair that still answers a Read takes no input any more")
    void stillAnswering() {
        try (World world = World.of(World.Kind.INLINE, Map.of("jwarp.tcp.send-buffer", "4096"))) {
            Connected pair = Connected.in(world);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(pair.passive.address(0), pair.passive.memory.rkey())
                    .add(pair.active.memory, 0, Endpoint.MEMORY));
            RdmapStream stream = Objects.requireNonNull(((RnicQueuePair) pair.passive.queuePair).connection()).stream();
            pair.active.write(0, "x");
            pair.passive.write(0, "y");
            world.until("the first byte is there", () -> pair.active.read(0, 1).equals("y"));
            pair.passive.id.disconnect();
            world.until("it is closing", () -> stream.state() == StreamState.CLOSING);
            assertThat(stream.inputEnded())
                    .as("the response is still being sent")
                    .isFalse();
            pair.passive.queuePair.close();
            assertThat(stream.inputEnded()).isTrue();
            assertThat(pair.active.success().opcode()).isEqualTo(WorkCompletionOpcode.RDMA_READ);
        }
    }

    /** {@return the connection of a side, whose owner takes no task while {@code dead} is true} */
    private static QueuePairConnection withOwner(Endpoint side, BooleanSupplier dead) {
        QueuePairConnection connection = Objects.requireNonNull(((RnicQueuePair) side.queuePair).connection());
        LlpConnection alive = Objects.requireNonNull(connection.owner());
        connection.owner((LlpConnection) Proxy.newProxyInstance(
                ClosingTest.class.getClassLoader(),
                new Class<?>[] {LlpConnection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("execute") && dead.getAsBoolean()) {
                        throw new OutOfMemoryError("as if");
                    }
                    return method.invoke(alive, arguments);
                }));
        return connection;
    }

    @EachTcpWorld
    @DisplayName("A close that throws leaves the remaining objects open: repeating it closes them all")
    void repeated(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Endpoint side = pair.passive;
            AtomicBoolean dead = new AtomicBoolean(true);
            withOwner(side, dead::get);
            assertThatThrownBy(side.queuePair::close).isInstanceOf(OutOfMemoryError.class);
            busy(side.completions, "1 queue pair(s)");
            assertThatThrownBy(side.id::close).isInstanceOf(OutOfMemoryError.class);
            busy(side.completions, "1 queue pair(s)");
            dead.set(false);
            side.id.close();
            assertThat(((RnicQueuePair) side.queuePair).connection()).isNull();
            pair.active.event(CmEventType.DISCONNECTED);
            side.completions.close();
            side.id.close();
            side.events.close();
        }
    }

    @EachTcpWorld
    @DisplayName("A connection ends even if its end throws at first during the completions")
    void thrown(World.Kind kind) {
        try (World world = World.of(kind)) {
            CompletionQueue small = world.listening().createCompletionQueue(2);
            Connected pair = Connected.reporting(world, small);
            AtomicBoolean dead = new AtomicBoolean(true);
            withOwner(Connected.reporting(world, small).passive, () -> dead.getAndSet(false));
            for (int i = 0; i < 6; i++) { // more than the queue's capacity: the other queue pair fails
                pair.passive.receive(i, 0, 8);
            }
            pair.active.id.disconnect();
            pair.passive.event(CmEventType.DISCONNECTED);
            assertThat(dead).isFalse();
            assertThat(((RnicQueuePair) pair.passive.queuePair).connection()).isNull();
        }
    }

    @EachTcpWorld
    @DisplayName("A context closes all connections even if one of them throws")
    void all(World.Kind kind) {
        try (World world = World.of(kind)) {
            AtomicBoolean dead = new AtomicBoolean(true);
            withOwner(Connected.in(world).passive, dead::get);
            Endpoint second = Connected.in(world).passive;
            assertThatThrownBy(world.listening()::close).isInstanceOf(OutOfMemoryError.class);
            assertThat(((RnicQueuePair) second.queuePair).closed()).isTrue();
            assertThat(((RnicQueuePair) second.queuePair).connection()).isNull();
        }
    }

    @EachWorld
    @DisplayName("After the close of an id, late events are dropped")
    void toldLate(World.Kind kind) {
        try (World world = World.of(kind)) {
            CmEventChannel events = world.connecting().createEventChannel();
            RnicCmId id = (RnicCmId) world.connecting().createId(events);
            id.close();
            id.life()
                    .tell(
                            CmEventType.DISCONNECTED,
                            null,
                            "The connection ended just then.",
                            ConnectionParameters.DEFAULT);
            assertThat(events.poll()).isNull();
        }
    }
}
