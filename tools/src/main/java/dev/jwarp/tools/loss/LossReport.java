package dev.jwarp.tools.loss;

import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rows as a table for people and as CSV for programs. */
final class LossReport {
    private static final int KIBI = 1024;

    private LossReport() {}

    /** {@return the table, line by line} */
    static List<String> table(List<Row> rows) {
        Table table = new Table(
                "service",
                "size_bytes",
                "loss_%",
                "messages",
                "whole",
                "partial",
                "lost",
                "unfinished",
                "whole_%",
                "expected",
                "valid_%",
                "expected",
                "goodput_MiB/s",
                "p50_us",
                "p99_us",
                "max_us",
                "repeated",
                "");
        for (Row row : rows) {
            Row.Latency latency = row.latencyUs();
            table.row(
                    row.service(),
                    Integer.toString(row.sizeBytes()),
                    percent(row.lossPercent()),
                    Long.toString(row.messages()),
                    Long.toString(row.whole()),
                    Long.toString(row.partial()),
                    Long.toString(row.lost()),
                    Long.toString(row.unfinished()),
                    twoDigits(row.wholePercent()),
                    twoDigits(row.expectedWholePercent()),
                    twoDigits(row.validPercent()),
                    twoDigits(row.expectedValidPercent()),
                    Quantities.oneDigit(row.goodputMibPerS()),
                    Quantities.oneDigit(latency == null ? null : latency.p50()),
                    Quantities.oneDigit(latency == null ? null : latency.p99()),
                    Quantities.oneDigit(latency == null ? null : latency.max()),
                    row.retransmissions() == null ? "-" : Long.toString(row.retransmissions()),
                    mark(row));
        }
        List<String> lines = new ArrayList<>(table.lines());
        List<String> notes = notes(rows);
        for (int i = 0; i < notes.size(); i++) {
            lines.add("[" + (i + 1) + "] " + notes.get(i));
        }
        return marked(lines, rows, notes);
    }

    private static String mark(Row row) {
        return row.note().isEmpty() ? "" : "[]";
    }

    private static List<String> notes(List<Row> rows) {
        return rows.stream()
                .map(Row::note)
                .filter(note -> !note.isEmpty())
                .distinct()
                .toList();
    }

    /** Puts the number of its note behind each row that has one. */
    private static List<String> marked(List<String> lines, List<Row> rows, List<String> notes) {
        for (int i = 0; i < rows.size(); i++) {
            String note = rows.get(i).note();
            if (!note.isEmpty()) {
                String line = lines.get(i + 1);
                lines.set(i + 1, line.substring(0, line.length() - 2) + "[" + (notes.indexOf(note) + 1) + "]");
            }
        }
        return lines;
    }

    /** {@return a header and a line per row; the description and the command are before them as remarks} */
    static List<String> csv(List<String> remarks, List<Row> rows) {
        List<String> lines = new ArrayList<>();
        remarks.forEach(remark -> lines.add("# " + remark));
        lines.add(
                "service,loss_percent,size_bytes,messages,whole,partial,lost,unfinished,whole_percent,expected_whole_percent,"
                        + "valid_percent,expected_valid_percent,goodput_mib_per_s,elapsed_ms,latency_p50_us,latency_p90_us,"
                        + "latency_p99_us,latency_p999_us,latency_max_us,datagrams_per_message,retransmissions,dropped_by_us,"
                        + "dropped_by_others,status,note");
        for (Row row : rows) {
            Row.Latency latency = row.latencyUs();
            lines.add(String.join(
                    ",",
                    row.service(),
                    cell(row.lossPercent()),
                    cell(row.sizeBytes()),
                    cell(row.messages()),
                    cell(row.whole()),
                    cell(row.partial()),
                    cell(row.lost()),
                    cell(row.unfinished()),
                    cell(row.wholePercent()),
                    cell(row.expectedWholePercent()),
                    cell(row.validPercent()),
                    cell(row.expectedValidPercent()),
                    cell(row.goodputMibPerS()),
                    cell(row.elapsedMs()),
                    cell(latency == null ? null : latency.p50()),
                    cell(latency == null ? null : latency.p90()),
                    cell(latency == null ? null : latency.p99()),
                    cell(latency == null ? null : latency.p999()),
                    cell(latency == null ? null : latency.max()),
                    cell(row.datagramsPerMessage()),
                    cell(row.retransmissions()),
                    cell(row.droppedByUs()),
                    cell(row.droppedByOthers()),
                    row.status().name().toLowerCase(Locale.ROOT),
                    '"' + row.note().replace("\"", "\"\"") + '"'));
        }
        return lines;
    }

    private static String cell(@Nullable Number value) {
        return value == null
                ? ""
                : value instanceof Double number ? String.format(Locale.ROOT, "%.4f", number) : value.toString();
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
