package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.verbs.AddressHandle;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.DatagramAttributes;
import dev.jwarp.verbs.QueuePairAttributes;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    private static DatagramSide side(DatagramWorld world, CompletionQueue queue, DatagramAttributes.Builder datagrams) {
        return DatagramSide.on(
                world,
                0,
                usual -> QueuePairAttributes.builder(queue).maxSendWorkRequests(DEPTH),
                usual -> datagrams.pathMtu(1500));
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

    @ParameterizedTest
    @CsvSource({"SIMULATED, 4", "SIMULATED, 16", "SIMULATED_ONE_BY_ONE, 16", "INLINE, 4", "INLINE, 16"})
    @DisplayName("Queue pairs share their port by weight")
    void queuePairs(DatagramWorld.Kind kind, int weight) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            CompletionQueue queue = world.context(0).createCompletionQueue(2 * DEPTH);
            DatagramSide light = side(world, queue, DatagramAttributes.builder(world.address(0, 0)));
            DatagramSide heavy = side(
                    world,
                    queue,
                    DatagramAttributes.builder(light.queuePair.localAddress()).weight(weight));
            DatagramSide target = DatagramSide.on(world, 1);
            write(light, light.to(target), target, 2 * LIGHT, 1);
            write(heavy, heavy.to(target), target, weight * LIGHT, 2);
            assertShare(world, queue, weight * LIGHT, weight);
        }
    }

    @ParameterizedTest
    @CsvSource({"SIMULATED, 4", "INLINE, 16"})
    @DisplayName("Peers share a queue pair by the weights of their handles")
    void peers(DatagramWorld.Kind kind, int weight) {
        try (DatagramWorld world = DatagramWorld.of(kind)) {
            CompletionQueue queue = world.context(0).createCompletionQueue(2 * DEPTH);
            DatagramSide sender = side(world, queue, DatagramAttributes.builder(world.address(0, 0)));
            DatagramSide one = DatagramSide.on(world, 1);
            DatagramSide other = DatagramSide.on(world, 2);
            write(sender, sender.to(one), one, 2 * LIGHT, 1);
            write(sender, sender.to(other).weight(weight), other, weight * LIGHT, 2);
            assertShare(world, queue, weight * LIGHT, weight);
        }
    }
}
