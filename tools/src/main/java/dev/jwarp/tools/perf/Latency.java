package dev.jwarp.tools.perf;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Latencies in nanoseconds, with a precision of three digits. Percentiles are by nearest rank: the smallest value that
 * this share of all values does not exceed. No value is left out.
 *
 * @param count number of values, at least one
 * @param min the shortest
 * @param mean of all
 * @param stdev the standard deviation
 */
public record Latency(
        long count,
        double min,
        double mean,
        double stdev,
        double p50,
        double p90,
        double p99,
        @JsonProperty("p99_9") double p999,
        @JsonProperty("p99_99") double p9999,
        double max) {
    /** {@return a histogram of constant size: up to an hour, with a precision of three digits} */
    public static Histogram histogram() {
        return new Histogram(3_600_000_000_000L, 3);
    }

    /**
     * {@return the statistics of a histogram; null if it is empty}
     *
     * @param share of each time that counts: 0.5 for half a round trip
     */
    public static @Nullable Latency of(Histogram nanos, double share) {
        if (nanos.getTotalCount() == 0) {
            return null;
        }
        return new Latency(
                nanos.getTotalCount(),
                nanos.getMinValue() * share,
                nanos.getMean() * share,
                nanos.getStdDeviation() * share,
                nanos.getValueAtPercentile(50) * share,
                nanos.getValueAtPercentile(90) * share,
                nanos.getValueAtPercentile(99) * share,
                nanos.getValueAtPercentile(99.9) * share,
                nanos.getValueAtPercentile(99.99) * share,
                nanos.getMaxValue() * share);
    }

    /** {@return the same in microseconds} */
    Latency inMicroseconds() {
        return new Latency(
                count,
                min / 1e3,
                mean / 1e3,
                stdev / 1e3,
                p50 / 1e3,
                p90 / 1e3,
                p99 / 1e3,
                p999 / 1e3,
                p9999 / 1e3,
                max / 1e3);
    }
}
