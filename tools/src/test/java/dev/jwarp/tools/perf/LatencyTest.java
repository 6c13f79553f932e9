package dev.jwarp.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import java.util.Collections;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LatencyTest {
    private static final double DIGITS = 0.2;

    private static Latency of(List<Integer> values) {
        Histogram histogram = Latency.histogram();
        values.forEach(histogram::recordValue);
        return Objects.requireNonNull(Latency.of(histogram, 1));
    }

    @Test
    @DisplayName("of nothing nothing is known")
    void ofNothingNothingIsKnown() {
        assertThat(Latency.of(Latency.histogram(), 1)).isNull();
    }

    @Test
    @DisplayName("spread below a microsecond is seen")
    void spreadBelowMicrosecondIsSeen() {
        assertThat(of(List.of(1000, 1200)).stdev()).isCloseTo(100, withPercentage(1));
    }

    @Test
    @DisplayName("half a round trip is half of everything")
    void halfRoundTripIsHalfOfEverything() {
        Histogram histogram = Latency.histogram();
        histogram.recordValue(1000);
        histogram.recordValue(2000);

        Latency half = Objects.requireNonNull(Latency.of(histogram, 0.5));

        assertThat(half.count()).isEqualTo(2);
        assertThat(half.min()).isEqualTo(500);
        assertThat(half.p50()).isEqualTo(500);
        assertThat(half.mean()).isCloseTo(750, withPercentage(DIGITS));
        assertThat(half.max()).isCloseTo(1000, withPercentage(DIGITS));
    }

    @Property(tries = 200)
    @Label("percentiles are by nearest rank and nothing is left out")
    void percentilesAreByNearestRank(
            @ForAll @Size(min = 1, max = 300) List<@IntRange(min = 1, max = 100_000_000) Integer> values) {
        Latency latency = of(values);
        List<Integer> sorted = values.stream().sorted().toList();

        assertThat(latency.count()).isEqualTo(values.size());
        assertThat(latency.min()).isCloseTo(sorted.get(0), withPercentage(DIGITS));
        assertThat(latency.max()).isCloseTo(Collections.max(sorted), withPercentage(DIGITS));
        assertThat(latency.p50()).isCloseTo(rank(sorted, 0.5), withPercentage(DIGITS));
        assertThat(latency.p90()).isCloseTo(rank(sorted, 0.9), withPercentage(DIGITS));
        assertThat(latency.p99()).isCloseTo(rank(sorted, 0.99), withPercentage(DIGITS));
        assertThat(latency.p9999()).isCloseTo(rank(sorted, 0.9999), withPercentage(DIGITS));
    }

    private static double rank(List<Integer> sorted, double share) {
        return sorted.get((int) Math.ceil(share * sorted.size() - 1e-9) - 1);
    }
}
