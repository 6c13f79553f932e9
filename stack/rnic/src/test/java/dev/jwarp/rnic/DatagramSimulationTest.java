package dev.jwarp.rnic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.sim.DatagramFaults;
import dev.jwarp.sim.SimNetwork;
import dev.jwarp.vectors.Whole;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Two to four complete stacks on a network that loses, duplicates, delays and corrupts datagrams. In every case each
 * request completes once, each message arrives at most once, and every validity map is right. The seeds are those of
 * {@link Seeds}.
 */
@DisplayName("Simulated datagrams")
class DatagramSimulationTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    @DisplayName("are reported correctly, with any faults of the network")
    void everySeed() {
        Seeds.each(DatagramSimulationTest.class, DatagramSimulationTest::play);
    }

    @Test
    @DisplayName("are repeatable with the same seed")
    void repeatable() {
        for (long seed = 1; seed <= Whole.or(5, 20); seed++) {
            assertThat(play(seed)).as("what happened, seed " + seed).isEqualTo(play(seed));
        }
    }

    private static long play(long seed) {
        SimNetwork network = new SimNetwork(seed);
        RandomGenerator random = network.random();
        try (DatagramWorld world = DatagramWorld.simulated(network, Map.of())) {
            boolean faulty = random.nextInt(4) > 0;
            world.datagrams().faults(faulty ? faults(random) : DatagramFaults.NONE);
            int mtu = random.nextInt(576, 2000);
            List<DatagramParty> parties = new ArrayList<>();
            for (int i = random.nextInt(2, 5); i > 0; i--) {
                parties.add(new DatagramParty(
                        world.context(parties.size()), world.address(parties.size(), 0), random, mtu));
            }
            for (DatagramParty one : parties) {
                parties.stream().filter(other -> other != one).forEach(other -> one.meet(other, mtu));
            }
            for (int steps = random.nextInt(10, 150); steps > 0; steps--) {
                DatagramParty party = parties.get(random.nextInt(parties.size()));
                party.act();
                if (random.nextInt(3) == 0) {
                    network.runFor(random.nextLong(MILLI));
                    parties.get(random.nextInt(parties.size())).take();
                }
            }
            finish(network, parties);
            long came = parties.stream().mapToLong(DatagramParty::successes).sum();
            return network.traceHash() * 31 + came;
        }
    }

    private static DatagramFaults faults(RandomGenerator random) {
        return new DatagramFaults(
                random.nextDouble(0.3),
                random.nextDouble(0.2),
                random.nextDouble(0.05),
                random.nextLong(10_000),
                random.nextLong(10_000, 3 * MILLI));
    }

    private static void finish(SimNetwork network, List<DatagramParty> parties) {
        for (int i = 0; i < 1000 && !parties.stream().allMatch(DatagramParty::idle); i++) {
            network.runFor(MILLI);
            parties.forEach(DatagramParty::take);
        }
        assertThat(parties).as("all requests complete").allMatch(DatagramParty::idle);
        // Write-Records that wait for a completion entry, and incomplete messages.
        for (int i = 0; i < 50; i++) {
            network.runFor(4 * MILLI);
            parties.forEach(DatagramParty::take);
        }
        parties.forEach(DatagramParty::end);
    }
}
