package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the demo found out over a connection, for people and for JSON. */
final class StreamReport {
    private final Content content;
    private final String server;
    private final String sha256;
    private final List<Row> rows = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();

    /** One line of the table. */
    record Row(
            String operation,
            long messages,
            long bytes,
            double timeMs,
            @Nullable Double rateMibPerS,
            String sha256,
            boolean equal,
            @Nullable Long firstDifference) {}

    StreamReport(Content content, DemoRun run, List<DemoClient.Moved> moved) {
        this.content = content;
        server = Addresses.text(run.server());
        sha256 = moved.isEmpty() ? "" : HexFormat.of().formatHex(moved.get(0).sha256());
        for (DemoClient.Moved one : moved) {
            add(one, run.arrived(one.operation()));
        }
    }

    private void add(DemoClient.Moved one, Arrived arrived) {
        Arrived.Difference difference = arrived.difference();
        boolean equal = Arrays.equals(one.sha256(), arrived.sha256()) && difference == null;
        rows.add(new Row(
                one.operation().title(),
                one.messages(),
                one.bytes(),
                one.nanos() / 1e6,
                Quantities.mebibytesPerSecond(one.bytes(), one.nanos()),
                HexFormat.of().formatHex(arrived.sha256()),
                equal,
                difference == null ? null : difference.offset()));
        if (!equal) {
            differences.add(one.operation().title() + ": "
                    + (difference == null ? "the file changed while it was moved" : "first at " + difference));
        }
    }

    List<String> lines() {
        Table table = new Table("operation", "messages", "bytes", "time_ms", "rate_MiB/s", "SHA-256");
        for (Row row : rows) {
            table.row(
                    row.operation(),
                    Long.toString(row.messages()),
                    Long.toString(row.bytes()),
                    Quantities.oneDigit(row.timeMs()),
                    Quantities.oneDigit(row.rateMibPerS()),
                    row.equal() ? "equal" : "DIFFERS");
        }
        List<String> lines = new ArrayList<>();
        lines.add(content.size() + " bytes, " + content.description() + ", through " + server);
        lines.addAll(table.lines());
        return lines;
    }

    String server() {
        return server;
    }

    /** {@return the hash of the file} */
    String sha256() {
        return sha256;
    }

    List<Row> rows() {
        return rows;
    }

    /** {@return a line for each way that brought something else} */
    List<String> differences() {
        return differences;
    }
}
