package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.Counter;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.QueuePairState;
import dev.jwarp.verbs.RdmaErrorCode;
import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.WorkCompletion;
import dev.jwarp.verbs.WorkCompletionStatus;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("One context has connections and datagrams:")
class OneContextTest {
    private static final int LENGTH = 8;

    /** The smallest number of a datagram queue pair. */
    private static final int SMALLEST = 16;

    @ParameterizedTest
    @EnumSource(names = {"INLINE", "THREADED"})
    @DisplayName("both run on the same loops, and report to one completion queue")
    void both(World.Kind kind) {
        try (World world = World.of(kind)) {
            CompletionQueue near = world.connecting().createCompletionQueue(64);
            CompletionQueue far = world.listening().createCompletionQueue(64);
            Connected connected = Connected.reporting(world, near, far);
            DatagramWorld datagrams = DatagramWorld.in(world);
            DatagramSide to = DatagramSide.reporting(datagrams, 0, far);
            DatagramSide from = DatagramSide.reporting(datagrams, 1, near);
            for (int i = 0; i < 32; i++) {
                connected.passive.receive(1, 0, LENGTH);
                to.receive(2, 0, LENGTH);
                connected.active.write(0, "straight").send(3, 0, LENGTH);
                from.write(0, "datagram");
                from.send(4, from.to(to), 0, LENGTH);
                assertThat(ids(connected.active, 2)).containsExactlyInAnyOrder(3L, 4L);
                assertThat(ids(connected.passive, 2)).containsExactlyInAnyOrder(1L, 2L);
                assertThat(connected.passive.read(0, LENGTH)).isEqualTo("straight");
                assertThat(to.read(0, LENGTH)).isEqualTo("datagram");
            }
            assertThat(world.listening().counters())
                    .extracting(Counter::name)
                    .contains("tcp_established", "rx_datagrams")
                    .doesNotHaveDuplicates();
        }
    }

    private static Set<Long> ids(Side side, int count) {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < count; i++) {
            ids.add(side.success().id());
        }
        return ids;
    }

    @ParameterizedTest
    @EnumSource(names = "INLINE")
    @DisplayName(
            "an overflow of a completion queue by connections ends its datagram queue pairs, too, with their reserved entries")
    void overflow(World.Kind kind) {
        try (World world = World.of(kind)) {
            CompletionQueue shared = world.listening().createCompletionQueue(2);
            Connected connected = Connected.reporting(world, shared);
            DatagramWorld datagrams = DatagramWorld.in(world);
            DatagramSide to = DatagramSide.reporting(datagrams, 0, shared);
            to.receive(2, 0, LENGTH);
            for (int i = 0; i < 3; i++) {
                connected.passive.receive(1, 0, LENGTH);
                connected.active.send(3, 0, LENGTH);
            }
            for (int i = 0; i < 3; i++) {
                connected.active.success();
            }
            WorkCompletion[] taken = WorkCompletion.array(4);
            world.until("three completions", () -> waiting(shared) == 3);
            assertThat(shared.poll(taken)).isEqualTo(3);
            assertThat(taken)
                    .filteredOn(one -> one.id() == 2)
                    .hasSize(1)
                    .allMatch(one -> one.status() == WorkCompletionStatus.WR_FLUSH_ERR);
            assertThat(to.queuePair.state()).isEqualTo(QueuePairState.ERR);
            assertThat(connected.passive.queuePair.query().failure()).contains("overflowed its 2 entries");
        }
    }

    @ParameterizedTest
    @EnumSource(names = "INLINE")
    @DisplayName("queue pair numbers are unique across both")
    void numbers(World.Kind kind) {
        try (World world = World.of(kind)) {
            DatagramWorld datagrams = DatagramWorld.in(world);
            Endpoint first = Connected.endpoint(world, world.listening());
            int taken = SMALLEST + first.queuePair.number();
            DatagramSide.on(datagrams, 0, wishes -> wishes, attributes -> attributes.queuePairNumber(taken));
            QueuePairAttributes wanted =
                    QueuePairAttributes.builder(first.completions).build();
            int last = 0;
            while (last <= taken) {
                // Each number is one more than the last: nothing else takes a handle here.
                last = world.listening()
                        .createId()
                        .createQueuePair(first.domain, wanted)
                        .number();
                assertThat(last).isNotEqualTo(taken);
            }
            int connected = last;
            assertThatThrownBy(() -> DatagramSide.on(
                            datagrams, 0, wishes -> wishes, attributes -> attributes.queuePairNumber(connected)))
                    .isInstanceOfSatisfying(
                            RdmaException.class, e -> assertThat(e.code()).isEqualTo(RdmaErrorCode.ADDRESS_IN_USE));
        }
    }

    private static int waiting(CompletionQueue queue) {
        return ((dev.jwarp.rnic.completion.RnicCompletionQueue) queue).waiting();
    }

    @ParameterizedTest
    @EnumSource(names = {"INLINE", "THREADED"})
    @DisplayName("its close ends both")
    void end(World.Kind kind) {
        DatagramSide open;
        World world = World.of(kind);
        try (world) {
            Connected.in(world);
            open = DatagramSide.on(DatagramWorld.in(world), 0);
        }
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                                RdmaException.class, () -> open.receive(1, 0, LENGTH))
                        .code())
                .isEqualTo(RdmaErrorCode.CLOSED);
    }
}
