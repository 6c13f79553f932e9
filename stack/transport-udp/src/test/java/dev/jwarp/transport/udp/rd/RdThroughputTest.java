package dev.jwarp.transport.udp.rd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.vectors.Whole;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** One flow over 140 MB/s with a round trip of 1 ms, loss in both directions: the table of datagram-iWARP §11. */
@DisplayName("Goodput of a channel")
class RdThroughputTest {
    private static final long RATE = 140_000_000;
    private static final int[] PERCENT = {0, 1, 5, 10, 20, 30};
    private static final int SEEDS = Whole.or(1, 2);

    /** {@return the bytes of payload a second, in virtual time, after half a second to find the rate} */
    private static double goodput(double loss, long seed, int tolerance) {
        RdSim sim = new RdSim(seed);
        sim.rate = RATE;
        sim.queue = 400_000;
        RdSettings settings = RdLab.settings("newreno", tolerance);
        RdHost a = new RdHost(sim, 1, 17, settings);
        RdHost b = new RdHost(sim, 2, 18, settings);
        a.upper.segment = RdLab.PAYLOAD;
        sim.loss = loss;
        a.post(b, 1_000_000, 1);
        sim.run(RdSim.millis(500));
        long before = a.upper.acceptedSegments;
        sim.run(RdSim.millis(500));
        return (a.upper.acceptedSegments - before) * 2.0 * RdLab.PAYLOAD;
    }

    private static double mean(double loss, int tolerance) {
        double sum = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            sum += goodput(loss, seed, tolerance);
        }
        return sum / SEEDS;
    }

    @Test
    @DisplayName("does not collapse at 5 and 10 % of random loss, and is not 0 at 30 %")
    void table() {
        double[] usual = new double[PERCENT.length];
        StringBuilder table = new StringBuilder("loss   tolerance 10 %   tolerance 0 (each loss counts)\n");
        for (int i = 0; i < PERCENT.length; i++) {
            usual[i] = mean(PERCENT[i] / 100.0, 10);
            double shy = mean(PERCENT[i] / 100.0, 0);
            table.append(String.format(
                    Locale.ROOT, "%3d %%  %8.1f MB/s     %8.1f MB/s%n", PERCENT[i], usual[i] / 1e6, shy / 1e6));
        }
        System.out.print(table);
        assertThat(usual[0]).as("without loss the path is full").isGreaterThan(0.8 * RATE);
        assertThat(usual[2]).as("at 5 %% against 0 %%%n%s", table).isGreaterThan(0.4 * usual[0]);
        assertThat(usual[3]).as("at 10 %% against 0 %%%n%s", table).isGreaterThan(0.2 * usual[0]);
        assertThat(usual[5]).as("at 30 %%%n%s", table).isGreaterThan(0.005 * usual[0]);
    }
}
