package dev.jwarp.benchmarks.compare;

import org.HdrHistogram.Histogram;

/** The metrics of comparisons. */
enum Metric {
    RATE("MB/s"),
    MESSAGES("kmsg/s"),
    P50("us, p50"),
    MEAN("us, mean"),
    P999("us, p99.9"),
    COST("ns/message"),
    ALLOCATED("B/op");

    /** Bytes that the measurement itself allocates in a round: lists of the JVM's threads, and results. */
    private static final long MEASURING = 8 * 1024;

    final String unit;

    Metric(String unit) {
        this.unit = unit;
    }

    /** {@return whether more is better} */
    boolean rises() {
        return this == RATE || this == MESSAGES;
    }

    double of(Figures figures) {
        return switch (this) {
            case RATE -> figures.octets() * 1e3 / figures.nanos();
            case MESSAGES -> figures.operations() * 1e6 / figures.nanos();
            case P50 -> percentile(figures.times(), 50);
            case MEAN -> figures.nanos() / 1e3 / figures.operations();
            case P999 -> percentile(figures.times(), 99.9);
            case COST -> (double) figures.nanos() / figures.operations();
            case ALLOCATED -> (double) Math.max(0, figures.allocated() - MEASURING) / figures.operations();
        };
    }

    static double percentile(Histogram times, double percent) {
        return times.getValueAtPercentile(percent) / 1e3;
    }
}
