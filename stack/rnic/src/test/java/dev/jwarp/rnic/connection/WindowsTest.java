package dev.jwarp.rnic.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.llp.LlpConnection;
import dev.jwarp.rnic.Connected;
import dev.jwarp.rnic.EachTcpWorld;
import dev.jwarp.rnic.EachWorld;
import dev.jwarp.rnic.Endpoint;
import dev.jwarp.rnic.World;
import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.MemoryWindow;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionOpcode;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Memory windows")
class WindowsTest {
    private static MemoryWindow bound(Endpoint owner, int offset, int length, AccessFlag... access) {
        MemoryWindow window = owner.domain.allocateWindow();
        owner.queuePair.postSend(
                new SendWorkRequest().id(50).bindWindow(window, owner.memory, owner.address(offset), length, access));
        WorkCompletion completion = owner.success();
        assertThat(completion.opcode()).isEqualTo(WorkCompletionOpcode.BIND_MW);
        return window;
    }

    private static void write(Endpoint from, long address, int key, int length) {
        from.queuePair.postSend(
                new SendWorkRequest().id(1).rdmaWrite(address, key).add(from.memory, 0, length));
    }

    @EachWorld
    @DisplayName("A window gives access to its part of the region, with a key of its own")
    void open(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryWindow window = bound(pair.passive, 100, 8, AccessFlag.REMOTE_WRITE);
            assertThat(window.rkey()).isNotZero().isNotEqualTo(pair.passive.memory.rkey());
            pair.passive.receive(1, 0, 8);

            pair.active.write(0, "12345678");
            write(pair.active, pair.passive.address(100), window.rkey(), 8);
            pair.active.send(2, 0, 1);
            pair.passive.success();
            assertThat(pair.passive.read(100, 8)).isEqualTo("12345678");
        }
    }

    @EachWorld
    @DisplayName("Writes outside the window are rejected")
    void bounds(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            pair.active.receive(9, 0, 10);
            MemoryWindow window = bound(pair.passive, 100, 8, AccessFlag.REMOTE_WRITE);
            write(pair.active, pair.passive.address(101), window.rkey(), 8);
            pair.active.success();
            WorkCompletion flushed = pair.active.next();
            assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(flushed.diagnosis()).contains("outside the memory region", "0x1/0x1/0x01");
        }
    }

    @EachWorld
    @DisplayName("Access that the window does not grant is rejected, even if the region grants it")
    void rights(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryWindow window = bound(pair.passive, 0, 64, AccessFlag.REMOTE_WRITE);
            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(pair.passive.address(0), window.rkey())
                    .add(pair.active.memory, 0, 8));
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @EachWorld
    @DisplayName("Another queue pair of the domain cannot use it")
    void otherQueuePair(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Connected other = Connected.in(world);
            MemoryWindow window = bound(pair.passive, 0, 64, AccessFlag.REMOTE_READ);
            other.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(pair.passive.address(0), window.rkey())
                    .add(other.active.memory, 0, 8));
            WorkCompletion refused = other.active.next();
            assertThat(refused.status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
            assertThat(refused.diagnosis()).contains("belongs to another stream");
        }
    }

    @EachWorld
    @DisplayName("A new binding invalidates the old key")
    void rebind(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryWindow window = bound(pair.passive, 0, 64, AccessFlag.REMOTE_READ);
            int old = window.rkey();
            pair.passive.queuePair.postSend(new SendWorkRequest()
                    .bindWindow(window, pair.passive.memory, pair.passive.address(64), 64, AccessFlag.REMOTE_READ));
            pair.passive.success();
            assertThat(window.rkey()).isNotEqualTo(old);

            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(pair.passive.address(64), window.rkey())
                    .add(pair.active.memory, 0, 8));
            pair.active.success();
            pair.active.queuePair.postSend(
                    new SendWorkRequest().rdmaRead(pair.passive.address(0), old).add(pair.active.memory, 0, 8));
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @EachWorld
    @DisplayName("A queue pair stores only bindings in force, even after many bindings")
    void bindingsAreForgotten(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            QueuePair queuePair = pair.passive.queuePair;
            MemoryWindow window = bound(pair.passive, 0, 64, AccessFlag.REMOTE_READ);
            for (int i = 1; i <= 10; i++) {
                queuePair.postSend(new SendWorkRequest()
                        .bindWindow(window, pair.passive.memory, pair.passive.address(i), 64, AccessFlag.REMOTE_READ));
                pair.passive.success();
                queuePair.postSend(new SendWorkRequest().localInvalidate(window.rkey()));
                pair.passive.success();
                queuePair.postSend(new SendWorkRequest()
                        .bindWindow(window, pair.passive.memory, pair.passive.address(i), 64, AccessFlag.REMOTE_READ));
                pair.passive.success();
            }
            MemoryWindow other = bound(pair.passive, 0, 64, AccessFlag.REMOTE_READ);
            assertThat(((RnicQueuePair) queuePair).completer().bindings()).isEqualTo(2);
            other.close();
            assertThat(((RnicQueuePair) queuePair).completer().bindings()).isEqualTo(1);
        }
    }

    @EachWorld
    @DisplayName("A Send with Invalidate of the peer ends the binding, and the receive has its key")
    void invalidatedByPeer(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryWindow window = bound(pair.passive, 0, 64, AccessFlag.REMOTE_READ);
            pair.passive.receive(1, 0, 8);
            pair.active.queuePair.postSend(
                    new SendWorkRequest().sendWithInvalidate(window.rkey()).add(pair.active.memory, 0, 4));
            pair.active.success();
            WorkCompletion received = pair.passive.success();
            assertThat(received.hasInvalidatedKey()).isTrue();
            assertThat(received.invalidatedKey()).isEqualTo(window.rkey());

            pair.active.queuePair.postSend(new SendWorkRequest()
                    .rdmaRead(pair.passive.address(0), window.rkey())
                    .add(pair.active.memory, 0, 8));
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @EachWorld
    @DisplayName("A closed window is inaccessible to the peer, even if its binding was in use")
    void closed(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryWindow window = bound(pair.passive, 0, 64, AccessFlag.REMOTE_READ);
            int key = window.rkey();
            window.close();
            pair.active.queuePair.postSend(
                    new SendWorkRequest().rdmaRead(pair.passive.address(0), key).add(pair.active.memory, 0, 8));
            assertThat(pair.active.next().status()).isEqualTo(WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @EachWorld
    @DisplayName("A region with a bound window cannot be closed before the end of the connection")
    void busy(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            MemoryRegion region = pair.passive.domain.allocate(64, AccessFlag.MW_BIND);
            MemoryWindow window = pair.passive.domain.allocateWindow();
            pair.passive.queuePair.postSend(
                    new SendWorkRequest().bindWindow(window, region, region.address(), 64, AccessFlag.REMOTE_READ));
            pair.passive.success();
            assertThatThrownBy(region::close)
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.RESOURCE_BUSY))
                    .hasMessageContaining("1 memory window(s) bound to it");
            pair.passive.queuePair.close();
            region.close();
        }
    }

    @EachWorld
    @DisplayName("A binding that the region or the range does not allow is rejected by the post")
    void refused(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Endpoint side = pair.passive;
            MemoryWindow window = side.domain.allocateWindow();
            MemoryRegion noBind = side.domain.allocate(64, AccessFlag.LOCAL_WRITE);
            MemoryRegion readOnly = side.domain.allocate(64, AccessFlag.MW_BIND);
            assertRefused(
                    side,
                    RdmaErrorCode.ACCESS_DENIED,
                    new SendWorkRequest().bindWindow(window, noBind, noBind.address(), 64, AccessFlag.REMOTE_READ));
            assertRefused(
                    side,
                    RdmaErrorCode.INVALID_ARGUMENT,
                    new SendWorkRequest()
                            .bindWindow(window, readOnly, readOnly.address(), 64, AccessFlag.REMOTE_WRITE));
            assertRefused(
                    side,
                    RdmaErrorCode.OUT_OF_BOUNDS,
                    new SendWorkRequest()
                            .bindWindow(window, readOnly, readOnly.address() + 1, 64, AccessFlag.REMOTE_READ));
            assertRefused(
                    side,
                    RdmaErrorCode.INVALID_ARGUMENT,
                    new SendWorkRequest().bindWindow(window, readOnly, readOnly.address(), 64, AccessFlag.LOCAL_WRITE));
            // The rejected bindings left nothing behind: the regions can be closed.
            noBind.close();
            readOnly.close();
        }
    }

    private static void assertRefused(Endpoint side, RdmaErrorCode code, SendWorkRequest request) {
        assertThatThrownBy(() -> side.queuePair.postSend(request))
                .isInstanceOfSatisfying(
                        RdmaException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @EachTcpWorld
    @DisplayName("A binding whose owner could not be notified is posted nevertheless, and completes once")
    void untold(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected pair = Connected.in(world);
            Endpoint side = pair.active;
            QueuePairConnection connection = Objects.requireNonNull(((RnicQueuePair) side.queuePair).connection());
            LlpConnection alive = Objects.requireNonNull(connection.owner());
            AtomicInteger failures = new AtomicInteger(1);
            connection.owner((LlpConnection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {LlpConnection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("execute") && failures.getAndDecrement() > 0) {
                            throw new OutOfMemoryError("as if");
                        }
                        return method.invoke(alive, arguments);
                    }));
            MemoryWindow window = side.domain.allocateWindow();
            side.queuePair.postSend(new SendWorkRequest()
                    .id(7)
                    .bindWindow(window, side.memory, side.address(0), 8, AccessFlag.REMOTE_READ));
            assertThat(failures.get()).isNotPositive();
            assertThat(side.next().id()).isEqualTo(7);
            side.event(CmEventType.DISCONNECTED);
            side.nothing();
        }
    }
}
