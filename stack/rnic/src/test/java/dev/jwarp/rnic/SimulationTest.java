package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.SimNetwork;
import dev.jwarp.vectors.Whole;
import dev.jwarp.verbs.CmEventType;
import dev.jwarp.verbs.CmId;
import dev.jwarp.verbs.CompletionQueue;
import dev.jwarp.verbs.ConnectionParameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@code -Djwarp.sim.seeds=N} runs N seeds; {@code -Djwarp.sim.seed=S} runs the single seed S and prints every event of
 * its network.
 */
@DisplayName("Two stacks in a simulated world")
class SimulationTest {
    private static final int MANY = 12;

    @Test
    @DisplayName("behave correctly under all faults, for every seed")
    void everySeed() {
        Seeds.each(
                SimulationTest.class, seed -> new SimulatedRun(seed, Seeds.one() ? System.out::println : null).play());
    }

    @Test
    @DisplayName("are repeatable with the same seed")
    void repeatable() {
        for (long seed = 1; seed <= Whole.or(5, 20); seed++) {
            assertThat(new SimulatedRun(seed, null).play())
                    .as("what happened on the network, seed " + seed)
                    .isEqualTo(new SimulatedRun(seed, null).play());
        }
    }

    @Test
    @DisplayName("are repeatable when many connections end at once: with their completion queue")
    void overflowRepeatable() {
        assertThat(withManyConnections(SimulationTest::overflow))
                .isEqualTo(withManyConnections(SimulationTest::overflow));
    }

    @Test
    @DisplayName("are repeatable when many connections end at once: with their context")
    void closingRepeatable() {
        assertThat(withManyConnections(pairs -> {})).isEqualTo(withManyConnections(pairs -> {}));
    }

    @Test
    @DisplayName("are repeatable when a listener closes with many requests")
    void closingListenerRepeatable() {
        assertThat(withManyRequests()).isEqualTo(withManyRequests());
    }

    /**
     * Runs a dozen connections whose passive sides share one small completion queue. Returns the events of the network.
     */
    private static long withManyConnections(Consumer<List<Connected>> what) {
        SimNetwork network = new SimNetwork(7);
        try (World world = World.simulated(network, Map.of())) {
            CompletionQueue shared = world.listening().createCompletionQueue(4, null);
            List<Connected> pairs = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                pairs.add(Connected.reporting(world, shared));
            }
            what.accept(pairs);
            world.settle();
        }
        network.settle();
        return network.traceHash();
    }

    private static void overflow(List<Connected> pairs) {
        Connected first = pairs.get(0);
        for (int i = 0; i < MANY; i++) {
            first.passive.receive(i, 0, 8);
            first.active.send(i, 0, 8);
        }
    }

    private static long withManyRequests() {
        SimNetwork network = new SimNetwork(7);
        try (World world = World.simulated(network, Map.of())) {
            CmId listener = world.listening().createId(world.listening().createEventChannel());
            listener.bind(world.address(0));
            listener.listen(0);
            for (int i = 0; i < MANY; i++) {
                Endpoint active = Connected.endpoint(world, world.connecting());
                active.id.resolveAddress(null, Objects.requireNonNull(listener.localAddress()));
                active.event(CmEventType.ADDR_RESOLVED);
                active.id.connect(ConnectionParameters.DEFAULT);
            }
            world.settle();
            listener.close();
            world.settle();
        }
        return network.traceHash();
    }
}
