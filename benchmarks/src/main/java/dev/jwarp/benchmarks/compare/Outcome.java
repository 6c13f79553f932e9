package dev.jwarp.benchmarks.compare;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of a comparison.
 *
 * @param comparison the comparison
 * @param median of the counted rounds
 * @param least of the counted rounds
 * @param lower lower quartile
 * @param upper upper quartile
 * @param most of the counted rounds
 * @param rounds number of counted rounds
 * @param leftOut number of rounds that were left out because other processes disturbed them
 * @param notRun why there is no figure; null if there is one
 */
record Outcome(
        Comparison comparison,
        double median,
        double least,
        double lower,
        double upper,
        double most,
        int rounds,
        int leftOut,
        @Nullable String notRun) {
    static Outcome notRun(Comparison comparison, String reason) {
        return new Outcome(comparison, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0, 0, reason);
    }

    static Outcome once(Comparison comparison, double figure) {
        return new Outcome(comparison, figure, figure, figure, figure, figure, 1, 0, null);
    }

    /**
     * Sums up the figures of the counted rounds.
     *
     * @param sorted the figures in rising order, at least one
     */
    static Outcome of(Comparison comparison, List<Double> sorted, int leftOut) {
        int last = sorted.size() - 1;
        return new Outcome(
                comparison,
                median(sorted),
                sorted.get(0),
                sorted.get(last / 4),
                sorted.get(last - last / 4),
                sorted.get(last),
                sorted.size(),
                leftOut,
                null);
    }

    static double median(List<Double> sorted) {
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    /** {@return the same, with another median} */
    Outcome withMedian(double value) {
        return new Outcome(
                comparison,
                value,
                Math.min(least, value),
                lower,
                upper,
                Math.max(most, value),
                rounds,
                leftOut,
                notRun);
    }

    /** {@return {@code met}, {@code not met}, {@code report}, or {@code NOT RUN: reason}} */
    String verdict() {
        return notRun == null ? comparison.bound().verdict(median) : "NOT RUN: " + notRun;
    }

    /** {@return the figure with its spread} */
    String figure() {
        if (notRun != null) {
            return "–";
        }
        return least == most ? number(median) : number(median) + " (" + number(least) + "–" + number(most) + ")";
    }

    /** {@return the range of the middle half of the rounds; empty if there are too few} */
    String middleHalf() {
        return notRun != null || rounds < 4 ? "" : number(lower) + "–" + number(upper);
    }

    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : size >= 10 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
