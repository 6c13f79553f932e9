package dev.jwarp.benchmarks.compare;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A ratio that a goal asks for.
 *
 * @param goal the goal: {@code P1} to {@code P19}, {@code S1} to {@code S9}, {@code D1} to {@code D3}, {@code M1}
 *     to {@code M5}
 * @param label name of the comparison, for readers
 * @param mine contenders of jwarp: one, or all those of a curve
 * @param peer the contender by which the figure is divided; null for the figure itself, or for a curve's highest figure
 *     divided by its lowest
 * @param metric the compared metric
 * @param bound the bound of the goal
 */
record Comparison(
        String goal,
        String label,
        List<String> mine,
        @Nullable String peer,
        Metric metric,
        Bound bound) {
    static Comparison ratio(String goal, String label, String mine, String peer, Metric metric, Bound bound) {
        return new Comparison(goal, label, List.of(mine), peer, metric, bound);
    }

    /** For a curve: its highest point divided by its lowest. */
    static Comparison flat(String goal, String label, List<String> points, Metric metric, Bound bound) {
        return new Comparison(goal, label, points, null, metric, bound);
    }

    static Comparison figure(String goal, String label, String mine, Metric metric, Bound bound) {
        return new Comparison(goal, label, List.of(mine), null, metric, bound);
    }

    List<String> contenders() {
        List<String> all = new ArrayList<>(mine);
        if (peer != null) {
            all.add(peer);
        }
        return all;
    }

    /** {@return whether figures of several contenders make one figure, that of a curve} */
    boolean isCurve() {
        return mine.size() > 1;
    }
}
