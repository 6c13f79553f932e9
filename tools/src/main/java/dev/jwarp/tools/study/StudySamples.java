package dev.jwarp.tools.study;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.jwarp.tools.figure.RunSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

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

    @JsonProperty
    List<Row> rows() {
        return rows;
    }

    Map<String, String> notRun() {
        return notRun;
    }

    @JsonProperty
    Map<String, String> failed() {
        return failed;
    }

    /** {@return the spread of a figure over all rounds, by x} */
    SortedMap<Double, RunSpread> points(String name, String figure) {
        SortedMap<Double, DoubleStream.Builder> values = new TreeMap<>();
        for (Row row : rows) {
            Double value = row.figures().get(figure);
            if (row.name().equals(name) && value != null) {
                values.computeIfAbsent(row.x(), x -> DoubleStream.builder()).add(value);
            }
        }
        SortedMap<Double, RunSpread> points = new TreeMap<>();
        values.forEach((x, of) -> points.put(x, Objects.requireNonNull(RunSpread.of(of.build()))));
        return points;
    }

    /** {@return the names of points, in the order of their first rows} */
    List<String> names() {
        return rows.stream().map(Row::name).distinct().toList();
    }
}
