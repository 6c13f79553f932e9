package dev.jwarp.tools.figure;

import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of the values of several runs.
 *
 * @param median of an even number of values the mean of the middle two
 * @param least the smallest value
 * @param most the largest value
 */
public record RunSpread(double median, double least, double most) {
    /** {@return the statistics; null if there are no values} */
    public static @Nullable RunSpread of(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        if (sorted.length == 0) {
            return null;
        }
        int half = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
        return new RunSpread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
