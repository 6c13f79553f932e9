package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of the demo over a connection, as text and as JSON. */
final class StreamReport {
    private final Content content;
    private final String server;
    private final List<Transfer> moved;

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

    StreamReport(Content content, InetSocketAddress server, List<Transfer> moved) {
        this.content = content;
        this.server = Addresses.text(server);
        this.moved = moved;
    }

    List<String> lines() {
        Table table = new Table("operation", "messages", "bytes", "time_ms", "rate_MiB/s", "SHA-256");
        for (Row row : rows()) {
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
        return moved.get(0).sha256();
    }

    List<Row> rows() {
        return moved.stream()
                .map(one -> new Row(
                        one.operation().title(),
                        one.messages(),
                        one.bytes(),
                        one.nanos() / 1e6,
                        one.rate(),
                        one.arrivedSha256(),
                        one.equal(),
                        one.firstDifference()))
                .toList();
    }
}
