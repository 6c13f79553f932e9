package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jwarp.verbs.RdmaException;
import dev.jwarp.verbs.SendWorkRequest;
import dev.jwarp.verbs.WorkCompletion;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Weighted sharing of one thread by connections that have more to send than the thread can send. */
@DisplayName("Weighted shares of connections")
class ConnectionSharesTest {
    private static final int MESSAGE = 64;
    /** More Writes than one turn of a connection of weight 1 has, eight times. */
    private static final int LIGHT = 8 * 256;
    /** One Write in so many has a completion. */
    private static final int SIGNALED = 64;

    private static Connected connected(World world, int weight) {
        return Connected.in(
                world, wishes -> wishes.maxSendWorkRequests(16 * LIGHT).weight(weight));
    }

    private static void write(Connected pair, int count) {
        SendWorkRequest[] all = new SendWorkRequest[count];
        for (int i = 0; i < count; i++) {
            all[i] = new SendWorkRequest()
                    .rdmaWrite(pair.passive.memory.address(), pair.passive.memory.rkey())
                    .signaled(i % SIGNALED == SIGNALED - 1)
                    .add(pair.active.memory, 0, MESSAGE);
        }
        assertThat(pair.active.queuePair.postSend(all, count)).isEqualTo(count);
    }

    private static int completed(Connected pair) {
        WorkCompletion[] some = WorkCompletion.array(1024);
        int count = pair.active.completions.poll(some);
        for (int i = 0; i < count; i++) {
            assertThat(some[i].succeeded()).isTrue();
        }
        return count;
    }

    private static double ratio(int weight) {
        try (World world = World.of(World.Kind.INLINE)) {
            Connected light = connected(world, 1);
            Connected heavy = connected(world, weight);
            write(light, 2 * LIGHT);
            write(heavy, weight * LIGHT);
            int[] sent = new int[2];
            world.until("the heavy one is through", () -> {
                sent[0] += completed(light);
                sent[1] += completed(heavy);
                return sent[1] == weight * LIGHT / SIGNALED;
            });
            return (double) sent[1] / sent[0];
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    @DisplayName("Connections of one thread send by weight")
    void weights(int weight) {
        assertThat(ratio(weight) / weight).isBetween(0.8, 1.2);
    }

    @Test
    @DisplayName("A weight that does not exist is refused")
    void range() {
        try (World world = World.of(World.Kind.SIMULATED)) {
            for (int weight : new int[] {0, 65}) {
                assertThatThrownBy(() -> connected(world, weight))
                        .isInstanceOf(RdmaException.class)
                        .hasMessageContaining("a queue pair, its weight, is 1 to 64, not " + weight);
            }
        }
    }
}
