package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Weighted sharing of a port whose senders have more data than can be sent, measured by the order of completions in one
 * queue.
 */
@DisplayName("Weighted shares of a port")
class DatagramSharesTest {
    private static final int MESSAGE = 16 << 10;
    private static final int DEPTH = 1200;

    /** About ten turns of the sender with the lower weight. */
    private static final int LIGHT = 40;

    private static DatagramSide side(DatagramWorld world, CompletionQueue queue, InetSocketAddress local, int weight) {
        return DatagramSide.on(
                world,
                0,
                usual -> QueuePairAttributes.builder(queue)
                        .maxSendWorkRequests(DEPTH)
                        .weight(weight),
                usual -> DatagramAttributes.builder(local).pathMtu(1500));
    }

    private static void write(DatagramSide from, AddressHandle peer, DatagramSide target, int count, int id) {
        SendWorkRequest[] all = new SendWorkRequest[count];
        for (int i = 0; i < count; i++) {
            all[i] = new SendWorkRequest()
                    .id(id)
                    .destination(peer)
                    .writeRecord(target.address(0), target.memory.rkey())
                    .add(from.memory, 0, MESSAGE);
        }
        assertThat(from.queuePair.postSend(all, count)).isEqualTo(count);
    }

    /** Posts twice as many requests with id 1 as can be sent before {@code count} requests with id 2. */
    private static void assertShare(DatagramWorld world, CompletionQueue queue, int count, int weight) {
        int[] sent = new int[3];
        WorkCompletion[] one = WorkCompletion.array(1);
        world.until("the heavy one is through", () -> {
            while (sent[2] < count && queue.poll(one) == 1) {
                assertThat(one[0].succeeded()).isTrue();
                sent[(int) one[0].id()]++;
            }
            return sent[2] == count;
        });
        assertThat((double) sent[2] / sent[1]).isBetween(0.8 * weight, 1.2 * weight);
    }

    private static void assertQueuePairsShare(DatagramWorld world, int weight) {
        CompletionQueue queue = world.context(0).createCompletionQueue(2 * DEPTH);
        DatagramSide light = side(world, queue, world.address(0, 0), 1);
        DatagramSide heavy = side(world, queue, light.queuePair.localAddress(), weight);
        DatagramSide target = DatagramSide.on(world, 1);
        write(light, light.to(target), target, 2 * LIGHT, 1);
        write(heavy, heavy.to(target), target, weight * LIGHT, 2);
        assertShare(world, queue, weight * LIGHT, weight);
    }

    @ParameterizedTest
    @CsvSource({"SIMULATED, 4", "SIMULATED, 16", "SIMULATED_ONE_BY_ONE, 16", "INLINE, 4", "INLINE, 16"})
    @DisplayName("Queue pairs share their port by weight")
    void queuePairs(DatagramWorld.Kind kind, int weight) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            assertQueuePairsShare(world, weight);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    @DisplayName("Queue pairs share the pace of a peer by weight")
    void pace(int weight) {
        try (DatagramWorld world =
                DatagramWorld.of(DatagramWorld.Kind.SIMULATED, Map.of("jwarp.udp.pace", "10000000"))) {
            assertQueuePairsShare(world, weight);
        }
    }

    @Test
    @DisplayName("Queue pairs with one message at a time share the pace of a peer")
    void oneAtATime() {
        try (DatagramWorld world =
                DatagramWorld.of(DatagramWorld.Kind.SIMULATED, Map.of("jwarp.udp.pace", "10000000"))) {
            CompletionQueue queue = world.context(0).createCompletionQueue(2 * DEPTH);
            DatagramSide[] sides = new DatagramSide[2];
            sides[0] = side(world, queue, world.address(0, 0), 1);
            sides[1] = side(world, queue, sides[0].queuePair.localAddress(), 1);
            DatagramSide target = DatagramSide.on(world, 1);
            SendWorkRequest[] requests = new SendWorkRequest[2];
            for (int i = 0; i < 2; i++) {
                requests[i] = new SendWorkRequest()
                        .id(i)
                        .destination(sides[i].to(target))
                        .writeRecord(target.address(0), target.memory.rkey())
                        .add(sides[i].memory, 0, 1_000);
                sides[i].queuePair.postSend(requests[i]);
            }
            int[] sent = {0, 0};
            WorkCompletion[] one = WorkCompletion.array(1);
            world.until("all are sent", () -> {
                while (queue.poll(one) == 1) {
                    int which = (int) one[0].id();
                    sent[which]++;
                    sides[which].queuePair.postSend(requests[which]);
                }
                return sent[0] + sent[1] >= 10 * LIGHT;
            });
            assertThat((double) sent[0] / sent[1]).isBetween(0.8, 1.25);
        }
    }

    @Test
    @DisplayName("A queue pair that was idle has no claim to the pace of the time before")
    void idle() {
        try (DatagramWorld world =
                DatagramWorld.of(DatagramWorld.Kind.SIMULATED, Map.of("jwarp.udp.pace", "10000000"))) {
            CompletionQueue queue = world.context(0).createCompletionQueue(2 * DEPTH);
            DatagramSide busy = side(world, queue, world.address(0, 0), 1);
            DatagramSide idle = side(world, queue, busy.queuePair.localAddress(), 1);
            DatagramSide target = DatagramSide.on(world, 1);
            write(busy, busy.to(target), target, 4 * LIGHT, 0);
            int[] sent = {0};
            WorkCompletion[] one = WorkCompletion.array(1);
            world.until("half of it is sent", () -> {
                while (sent[0] < 2 * LIGHT && queue.poll(one) == 1) {
                    sent[0]++;
                }
                return sent[0] == 2 * LIGHT;
            });
            write(idle, idle.to(target), target, LIGHT, 1);
            int[] each = {0, 0};
            world.until("the other one is through", () -> {
                while (each[1] < LIGHT && queue.poll(one) == 1) {
                    each[(int) one[0].id()]++;
                }
                return each[1] == LIGHT;
            });
            assertThat((double) each[0] / each[1]).isBetween(0.8, 1.2);
        }
    }

    @ParameterizedTest
    @CsvSource({"SIMULATED, 4", "INLINE, 16"})
    @DisplayName("Peers share a queue pair by the weights of their handles")
    void peers(DatagramWorld.Kind kind, int weight) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            CompletionQueue queue = world.context(0).createCompletionQueue(2 * DEPTH);
            DatagramSide sender = side(world, queue, world.address(0, 0), 1);
            DatagramSide one = DatagramSide.on(world, 1);
            DatagramSide other = DatagramSide.on(world, 2);
            write(sender, sender.to(one), one, 2 * LIGHT, 1);
            write(sender, sender.to(other).weight(weight), other, weight * LIGHT, 2);
            assertShare(world, queue, weight * LIGHT, weight);
        }
    }
}
