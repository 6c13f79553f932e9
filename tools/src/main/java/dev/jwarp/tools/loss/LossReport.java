package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Json;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import dev.jwarp.tools.figure.RunSpread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The points as a table for people, and all rows as CSV for programs. */
final class LossReport {
    private static final int KIBI = 1024;

    private LossReport() {}

    /** A column of the table: its title, and the cell of a point. */
    private record Column(String title, Function<Point, String> cell) {}

    /**
     * {@return the lines of the table} Of all runs of a point it has the median of each measurement, and the sum of
     * messages.
     */
    static List<String> table(List<Point> points) {
        List<String> notes = points.stream()
                .flatMap(point -> point.notes().stream())
                .distinct()
                .toList();
        List<Column> columns = columns(points, notes);
        Table table = new Table(columns.stream().map(Column::title).toArray(String[]::new));
        for (Point point : points) {
            table.row(columns.stream().map(column -> column.cell().apply(point)).toArray(String[]::new));
        }
        List<String> lines = new ArrayList<>(table.lines());
        for (int i = 0; i < notes.size(); i++) {
            lines.add("[" + (i + 1) + "] " + notes.get(i));
        }
        String load =
                load(points.stream().flatMap(point -> point.runs().stream()).toList());
        if (!load.isEmpty()) {
            lines.add(load);
        }
        return lines;
    }

    private static List<Column> columns(List<Point> points, List<String> notes) {
        boolean repeated = points.stream().anyMatch(point -> point.runs().size() > 1);
        List<Column> all = new ArrayList<>();
        all.add(new Column("service", point -> point.what().service()));
        all.add(new Column("size_bytes", point -> Integer.toString(point.what().sizeBytes())));
        if (points.stream().anyMatch(point -> point.what().path().rttMs() != null)) {
            all.add(new Column("rtt_ms", point -> percent(point.what().path().rttMs())));
        }
        if (points.stream().anyMatch(point -> point.what().path().bottleneck() != null)) {
            all.add(new Column(
                    "bottleneck",
                    point -> Objects.requireNonNullElse(point.what().path().bottleneck(), "-")));
        }
        all.add(new Column("loss_%", point -> percent(point.what().lossPercent())));
        if (repeated) {
            all.add(new Column("runs", point -> Integer.toString(point.runs().size())));
        }
        all.add(new Column("messages", sum(Row::messages)));
        all.add(new Column("whole", sum(Row::whole)));
        all.add(new Column("partial", sum(Row::partial)));
        all.add(new Column("lost", sum(Row::lost)));
        all.add(new Column("unfinished", sum(Row::unfinished)));
        all.add(new Column("whole_%", point -> twoDigits(point.median(Row::wholePercent))));
        all.add(new Column("expected", point -> twoDigits(point.median(Row::expectedWholePercent))));
        all.add(new Column("valid_%", point -> twoDigits(point.median(Row::validPercent))));
        all.add(new Column("expected", point -> twoDigits(point.median(Row::expectedValidPercent))));
        all.add(new Column("goodput_MiB/s", point -> Quantities.oneDigit(point.median(Row::goodputMibPerS))));
        if (repeated) {
            all.add(new Column("least", goodput(RunSpread::least)));
            all.add(new Column("most", goodput(RunSpread::most)));
        }
        all.add(new Column("p50_us", latency(Row.Latency::p50)));
        all.add(new Column("p99_us", latency(Row.Latency::p99)));
        all.add(new Column("max_us", latency(Row.Latency::max)));
        all.add(new Column("repeated", LossReport::repeated));
        all.add(new Column("", point -> mark(point, notes)));
        return all;
    }

    private static Function<Point, String> sum(ToLongFunction<Row> number) {
        return point -> Long.toString(point.sum(number));
    }

    private static Function<Point, String> goodput(ToDoubleFunction<RunSpread> of) {
        return point -> {
            RunSpread spread = point.spread(Row::goodputMibPerS);
            return Quantities.oneDigit(spread == null ? null : of.applyAsDouble(spread));
        };
    }

    private static Function<Point, String> latency(ToDoubleFunction<Row.Latency> of) {
        return point -> Quantities.oneDigit(point.median(Row.latency(of)));
    }

    private static String repeated(Point point) {
        boolean unknown = point.runs().stream().anyMatch(row -> row.retransmissions() == null);
        return unknown ? "-" : Long.toString(point.sum(row -> Objects.requireNonNull(row.retransmissions())));
    }

    /** {@return the numbers of its notes} */
    private static String mark(Point point, List<String> notes) {
        return point.notes().stream()
                .map(note -> "[" + (notes.indexOf(note) + 1) + "]")
                .collect(Collectors.joining());
    }

    /** {@return a sentence about the load of the machine at the start of the rows; empty if the load is unknown} */
    static String load(List<Row> rows) {
        double[] loads = rows.stream()
                .map(Row::load)
                .filter(Objects::nonNull)
                .mapToDouble(Double::doubleValue)
                .sorted()
                .toArray();
        return loads.length == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "Load of the machine (1 minute) when rows began: %.1f to %.1f, median %.1f.",
                        loads[0],
                        loads[loads.length - 1],
                        loads[loads.length / 2]);
    }

    /** {@return a header and a line per row; the description and the command are before them as remarks} */
    static List<String> csv(List<String> remarks, List<Row> rows) {
        List<String> lines = new ArrayList<>();
        remarks.forEach(remark -> lines.add("# " + remark));
        lines.addAll(Json.csv(
                4,
                "service,run,rtt_ms,bottleneck\",loss_percent,size_bytes,messages,whole,partial,lost,unfinished,"
                        + "whole_percent,expected_whole_percent,valid_percent,expected_valid_percent,"
                        + "goodput_mib_per_s,elapsed_ms,latency_p50_us=latency_us/p50,"
                        + "latency_p90_us=latency_us/p90,latency_p99_us=latency_us/p99,latency_p999_us=latency_us/p999,"
                        + "latency_max_us=latency_us/max,datagrams_per_message,retransmissions,dropped_by_us,"
                        + "dropped_by_others,load,status,note\"",
                rows));
        return lines;
    }

    /** {@return {@code 0.1}, {@code 10}; {@code -} for null} */
    static String percent(@Nullable Double value) {
        if (value == null) {
            return "-";
        }
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceFirst("\\.?0+$", "");
    }

    private static String twoDigits(@Nullable Double value) {
        return value == null ? "-" : String.format(Locale.ROOT, "%.2f", value);
    }

    /** {@return {@code 1 B}, {@code 64 KiB}} */
    static String size(int bytes) {
        if (bytes >= KIBI * KIBI && bytes % (KIBI * KIBI) == 0) {
            return bytes / KIBI / KIBI + " MiB";
        }
        return bytes >= KIBI && bytes % KIBI == 0 ? bytes / KIBI + " KiB" : bytes + " B";
    }
}
