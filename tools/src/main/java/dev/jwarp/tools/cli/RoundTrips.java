package dev.jwarp.tools.cli;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Round-trip times, in constant memory for any number of rounds. One thread. */
public final class RoundTrips {
    private static final double NANOS_PER_MICRO = 1e3;

    private final Histogram nanos = new Histogram(3);

    /** Made empty. */
    public RoundTrips() {}

    /**
     * A summary in microseconds.
     *
     * @param min the shortest
     * @param avg the mean
     * @param p50 half of the rounds took no longer
     * @param p99 99 of 100 rounds took no longer
     * @param max the longest
     */
    public record Summary(double min, double avg, double p50, double p99, double max) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT, "rtt min/avg/p50/p99/max = %.1f/%.1f/%.1f/%.1f/%.1fus", min, avg, p50, p99, max);
        }
    }

    /** Adds the time of a round. */
    public void add(long roundNanos) {
        nanos.recordValue(Math.max(0, roundNanos));
    }

    /** {@return whether no round was added} */
    public boolean isEmpty() {
        return nanos.getTotalCount() == 0;
    }

    /** {@return the summary of all rounds} At least one round must have been added. */
    public Summary summary() {
        return new Summary(
                nanos.getMinValue() / NANOS_PER_MICRO,
                nanos.getMean() / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(50) / NANOS_PER_MICRO,
                nanos.getValueAtPercentile(99) / NANOS_PER_MICRO,
                nanos.getMaxValue() / NANOS_PER_MICRO);
    }
}
