package dev.jwarp.tools.study;

import dev.jwarp.tools.figure.RunSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a study has measured, and who could not be measured. */
final class StudySamples {
    /**
     * A row of a contender's document.
     *
     * @param panel of the picture; empty for the only one
     * @param label of the points, within the panel
     * @param name of the points
     * @param x place of the point
     * @param round from 1
     * @param load of the machine when the command began: runnable processes, averaged over a minute
     * @param figures measured values, by name
     */
    record Row(
            String panel, String label, String name, double x, int round, double load, Map<String, Double> figures) {}

    private final List<Row> rows = new ArrayList<>();
    private final Map<String, String> notRun = new LinkedHashMap<>();
    private final Map<String, String> failed = new LinkedHashMap<>();

    void add(Row row) {
        rows.add(row);
    }

    /** Says that a contender cannot run on this machine. */
    void notRun(String contender, String reason) {
        notRun.put(contender, reason);
    }

    /** Says that a contender has died. Its figures do not count. */
    void failed(String contender, String reason) {
        failed.put(contender, reason);
    }

    List<Row> rows() {
        return rows;
    }

    Map<String, String> notRun() {
        return notRun;
    }

    Map<String, String> failed() {
        return failed;
    }

    /** {@return the spread of a figure over all rounds, by x} */
    SortedMap<Double, RunSpread> points(String name, String figure) {
        SortedMap<Double, RunSpread> points = new TreeMap<>();
        for (Row row : rows) {
            if (row.name().equals(name)) {
                RunSpread spread = spread(name, row.x(), figure);
                if (spread != null) {
                    points.put(row.x(), spread);
                }
            }
        }
        return points;
    }

    private @Nullable RunSpread spread(String name, double x, String figure) {
        return RunSpread.of(rows.stream()
                .filter(row -> row.name().equals(name) && row.x() == x)
                .map(row -> row.figures().get(figure))
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue));
    }

    /** {@return the names of points, in the order of their first rows} */
    List<String> names() {
        return rows.stream().map(Row::name).distinct().toList();
    }
}
