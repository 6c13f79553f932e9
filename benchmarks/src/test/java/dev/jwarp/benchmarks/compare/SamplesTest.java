package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The rounds of a workload")
class SamplesTest {
    private final Samples samples = new Samples(false);

    private void round(long ours, long theirs, double others) {
        samples.add("ours", Some.rate(ours), others);
        samples.add("theirs", Some.rate(theirs), 0);
    }

    @Test
    @DisplayName("are compared round by round: median, least and most of the ratios, not a ratio of medians")
    void medianOfRatios() {
        round(10, 100, 0);
        round(60, 100, 0);
        round(90, 30, 0);
        Outcome outcome = samples.judge(Some.HALF);
        assertThat(outcome.median()).isCloseTo(0.6, within(1e-9));
        assertThat(outcome.least()).isCloseTo(0.1, within(1e-9));
        assertThat(outcome.most()).isCloseTo(3, within(1e-9));
        assertThat(outcome.verdict()).isEqualTo("met");
    }

    @Test
    @DisplayName("tell where the middle half of the ratios lies, if there are four or more")
    void middleHalf() {
        for (int percent : List.of(90, 10, 50, 30, 70)) {
            round(percent, 100, 0);
        }
        assertThat(samples.judge(Some.HALF).middleHalf()).isEqualTo("0.300–0.700");
        assertThat(Outcome.once(Some.HALF, 1).middleHalf()).isEmpty();
    }

    @Test
    @DisplayName("do not count where another process used more than a tenth of a core, and are counted as left out")
    void disturbed() {
        round(60, 100, 0.05);
        round(10, 100, 0.3);
        Outcome outcome = samples.judge(Some.HALF);
        assertThat(outcome.rounds()).isEqualTo(1);
        assertThat(outcome.leftOut()).isEqualTo(1);
        assertThat(outcome.median()).isCloseTo(0.6, within(1e-9));
        assertThat(samples.leftOut()).isEqualTo(1);
        assertThat(samples.goodRounds(List.of("ours", "theirs"))).isEqualTo(1);
    }

    @Test
    @DisplayName("give no verdict if all were disturbed")
    void allDisturbed() {
        round(60, 100, 0.3);
        assertThat(samples.judge(Some.HALF).verdict()).startsWith("NOT RUN: other processes disturbed");
    }

    @Test
    @DisplayName("all count if one asks for it")
    void keepDisturbed() {
        Samples all = new Samples(true);
        all.add("ours", Some.rate(60), 2);
        all.add("theirs", Some.rate(100), 2);
        assertThat(all.judge(Some.HALF).rounds()).isEqualTo(1);
        assertThat(all.leftOut()).isZero();
    }

    @Test
    @DisplayName("say why a contender is not among them")
    void absent() {
        round(60, 100, 0);
        samples.absent("theirs", "it is not installed");
        assertThat(samples.judge(Some.HALF).verdict()).isEqualTo("NOT RUN: theirs: it is not installed");
    }

    @Test
    @DisplayName("of a curve: the dearest point divided by the cheapest, each the median of its rounds")
    void curve() {
        for (String point : List.of("1", "10", "100")) {
            samples.add(point, Some.rate(point.equals("10") ? 50 : 100), 0);
        }
        for (String point : List.of("1", "10", "100")) {
            samples.add(point, Some.rate(point.equals("1") ? 1_000 : point.equals("10") ? 50 : 100), 0);
        }
        samples.add("1", Some.rate(100), 0);
        samples.add("10", Some.rate(50), 0);
        samples.add("100", Some.rate(80), 0);
        Comparison flat = Comparison.flat("P16", "curve", List.of("1", "10", "100"), Metric.RATE, Bound.atMost(1.5));
        Outcome outcome = samples.judge(flat);
        assertThat(outcome.median()).isCloseTo(2, within(1e-9));
        assertThat(outcome.most()).isCloseTo(20, within(1e-9));
        assertThat(outcome.verdict()).isEqualTo("not met");
    }

    @Test
    @DisplayName("of a curve: a point needs undisturbed rounds of its own only")
    void curveInParts() {
        Comparison flat = Comparison.flat("P16", "curve", List.of("1", "10"), Metric.RATE, Bound.atMost(1.5));
        samples.add("1", Some.rate(100), 0.5);
        samples.add("10", Some.rate(50), 0);
        assertThat(samples.judge(flat).verdict()).isEqualTo("NOT RUN: 1: other processes disturbed each of its rounds");
        samples.add("1", Some.rate(100), 0);
        samples.add("10", Some.rate(10), 0.5);
        assertThat(samples.judge(flat).median()).isCloseTo(2, within(1e-9));
    }

    @Test
    @DisplayName("have one far percentile in common: round trips of all good rounds are put together")
    void tail() {
        Comparison tail = Comparison.ratio("P13", "ours / theirs", "ours", "theirs", Metric.P999, Bound.atMost(1.15));
        for (int i = 0; i < 4; i++) {
            samples.add("ours", Figures.parse("1000\t64\t1000\t0\t1000:998 " + (i == 0 ? "9000:2" : "1000:2")), 0);
            samples.add("theirs", Figures.parse("1000\t64\t1000\t0\t1000:1000"), 0);
        }
        Outcome outcome = samples.judge(tail);
        assertThat(outcome.median()).isCloseTo(1, within(0.01)); // 2 of 4,000 are beyond p99.9
        assertThat(outcome.most()).isCloseTo(9, within(0.1));
    }
}
