package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AccessFlag;
import dev.jwarp.verbs.Device;
import dev.jwarp.verbs.MemoryRegion;
import dev.jwarp.verbs.QueuePair;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.QueuePairType;
import dev.jwarp.verbs.ReceiveWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Objects refer to their queue pair and describe themselves")
class QueuePairOfCompletionTest {
    @EachWorld
    @DisplayName("A completion refers to its queue pair, one of many with the same completion queue")
    void many(World.Kind kind) {
        try (World world = World.of(kind)) {
            Connected first = Connected.in(world);
            first.passive.queuePair.attach("first");
            List<QueuePair> others = new ArrayList<>();
            for (int i = 0; i < 40; i++) { // more than the initial number of places
                QueuePair other = first.passive.domain.createQueuePair(
                        QueuePairAttributes.builder(first.passive.completions).build());
                other.modify(QueuePairState.INIT);
                other.postReceive(new ReceiveWorkRequest().id(i));
                others.add(other);
            }
            first.passive.receive(99, 0, 8);
            first.active.send(1, 0, 8);
            WorkCompletion received = first.passive.success();
            assertThat(received.queuePair()).isSameAs(first.passive.queuePair);
            assertThat(Objects.requireNonNull(received.queuePair()).attachment())
                    .isEqualTo("first");
            WorkCompletion sent = first.active.success();
            assertThat(sent.queuePair()).isSameAs(first.active.queuePair);
            for (int i = others.size() - 1; i >= 0; i--) {
                others.get(i).modify(QueuePairState.ERR);
                WorkCompletion flushed = first.passive.next();
                assertThat(flushed.status()).isEqualTo(WorkCompletionStatus.WR_FLUSH_ERR);
                assertThat(flushed.queuePair()).isSameAs(others.get(i));
            }
        }
    }

    @EachWorld
    @DisplayName(
            "A completion of a closed queue pair has only its number, even if another queue pair has taken its place")
    void closed(World.Kind kind) {
        try (World world = World.of(kind)) {
            Endpoint side = Connected.endpoint(world, world.listening());
            side.receive(1, 0, 8);
            int number = side.queuePair.number();
            side.queuePair.close();
            WorkCompletion flushed = side.next();
            assertThat(flushed.queuePair()).isNull();
            QueuePair next = side.domain.createQueuePair(
                    QueuePairAttributes.builder(side.completions).build());
            assertThat(flushed.queuePair()).isNull();
            assertThat(flushed.queuePairNumber()).isEqualTo(number).isNotEqualTo(next.number());
            assertThat(new WorkCompletion().queuePair()).isNull();
        }
    }

    @EachDatagramWorld
    @DisplayName("The same over datagrams: sends, receives and Write-Records")
    void datagrams(DatagramWorld.Kind kind) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            DatagramSide near = DatagramSide.on(world, 0);
            DatagramSide far = DatagramSide.on(world, 1);
            far.receive(1, 0, 8);
            near.send(1, near.to(far), 0, 8);
            assertThat(near.success().queuePair()).isSameAs(near.queuePair);
            assertThat(far.success().queuePair()).isSameAs(far.queuePair);
            near.writeRecord(2, near.to(far), far, 0, 8);
            assertThat(near.success().queuePair()).isSameAs(near.queuePair);
            assertThat(far.success().queuePair()).isSameAs(far.queuePair);
        }
    }

    @Test
    @DisplayName("A device has a list of queue pair types; devices, contexts and queue pairs have a description")
    void words() {
        RnicProvider provider = new RnicProvider();
        Device device = provider.rnic();
        assertThat(device.queuePairTypes()).containsExactly(QueuePairType.RC, QueuePairType.UD, QueuePairType.RD);
        assertThat(device).hasToString("device jwarp0 with queue pairs of type RC, UD and RD");
        try (World world = World.of(World.Kind.INLINE)) {
            assertThat(world.listening()).hasToString("context of jwarp0 with inline progress");
            Endpoint side = Connected.endpoint(world, world.listening());
            assertThat(side.queuePair).hasToString("queue pair " + side.queuePair.number());
        }
    }

    @Test
    @DisplayName("Access flags may be given as a set")
    void sets() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            Endpoint side = Connected.endpoint(world, world.listening());
            Set<AccessFlag> flags = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
            MemoryRegion allocated = side.domain.allocate(8, flags);
            MemoryRegion registered = side.domain.register(ByteBuffer.allocateDirect(8), flags);
            MemoryRegion placed = side.domain.register(ByteBuffer.allocateDirect(8), 4096, flags);
            assertThat(List.of(allocated.access(), registered.access(), placed.access()))
                    .containsOnly(flags);
            assertThat(side.domain.allocate(8, Set.of()).access()).isEmpty();
        }
    }
}
