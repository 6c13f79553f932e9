package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * {@code -Djwarp.sim.seeds=N} runs N seeds, {@code -Djwarp.sim.seed=S} runs the one seed S and tells every event of its
 * network.
 */
@DisplayName("Two stacks in a simulated world")
class SimulationTest {
    private static final long SEEDS = Long.getLong("jwarp.sim.seeds", 1_000);
    private static final Long SEED = Long.getLong("jwarp.sim.seed");

    @Test
    @DisplayName("do right whatever happens to them, for every seed")
    void everySeed() {
        long first = SEED == null ? 1 : SEED;
        long last = SEED == null ? SEEDS : SEED;
        for (long seed = first; seed <= last; seed++) {
            try {
                new SimulatedRun(seed, SEED == null ? null : System.out::println).play();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "Seed " + seed + " failed. Run it alone, with all its events: -Dtest=SimulationTest"
                                + " -Djwarp.sim.seed=" + seed + "\n" + e.getMessage(),
                        e);
            }
        }
    }

    @Test
    @DisplayName("do the same again for the same seed")
    void repeatable() {
        for (long seed = 1; seed <= 20; seed++) {
            assertThat(new SimulatedRun(seed, null).play())
                    .as("what happened on the network, seed " + seed)
                    .isEqualTo(new SimulatedRun(seed, null).play());
        }
    }
}
