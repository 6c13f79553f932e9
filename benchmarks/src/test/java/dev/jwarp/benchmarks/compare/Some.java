package dev.jwarp.benchmarks.compare;

import java.util.List;
import java.util.Map;

/** Figures for tests. */
final class Some {
    static final Comparison HALF =
            Comparison.ratio("P1", "ours / theirs", "ours", "theirs", Metric.RATE, Bound.atLeast(0.5));
    static final Workload WORKLOAD = new Workload(
            "Streams",
            true,
            Workload.Length.USUAL,
            List.of(new Workload.Entry("ours", "java x"), new Workload.Entry("theirs", "c y size=1")),
            List.of(HALF));

    private Some() {}

    /** So many MB/s. */
    static Figures rate(long megabytes) {
        return Figures.ofRate(1_000, megabytes * 1_000, 1_000_000);
    }

    static Report report(Outcome... outcomes) {
        Samples samples = new Samples(false);
        samples.add("ours", rate(60), 0);
        samples.add("theirs", rate(100), 0);
        return new Report(List.of(outcomes), Map.of(WORKLOAD, samples), false);
    }
}
