package dev.jwarp.tools.demo;

import dev.jwarp.tools.cli.Addresses;
import dev.jwarp.tools.cli.Quantities;
import dev.jwarp.tools.cli.Table;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of the demo over datagrams, as text and as JSON. */
final class DatagramReport {
    private static final int MOST_SHOWN = 8;

    private final Content content;
    private final DatagramEnds ends;
    private final @Nullable String injected;
    private final List<DatagramTransfer> moved;
    private final DatagramEnds.Traffic traffic;

    /** The result, for JSON. */
    record Result(
            String server,
            @Nullable String injected,
            List<Row> operations,
            long datagramsSent,
            long datagramsInjectedLoss,
            long datagramsDroppedByKernel) {}

    /** One line of the table, with the missing ranges. */
    record Row(
            String operation,
            long messages,
            long bytes,
            long partialMessages,
            long lostMessages,
            long missingBytes,
            long rereads,
            double timeMs,
            @Nullable Double rateMibPerS,
            String sha256,
            boolean equal,
            @Nullable Long firstDifference,
            List<DatagramTransfer.Holes> holes) {}

    /** @param injected the value of jwarp.udp.inject; null if no loss is injected */
    DatagramReport(Content content, DatagramEnds ends, @Nullable String injected, List<DatagramTransfer> moved) {
        this.content = content;
        this.ends = ends;
        this.injected = injected;
        this.moved = moved;
        this.traffic = ends.traffic();
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(content.size() + " bytes, " + content.description() + ", in datagrams to "
                + Addresses.text(ends.address())
                + (injected == null ? "" : ", with injected faults: " + injected));
        Table table = new Table(
                "operation",
                "messages",
                "bytes",
                "partial",
                "lost",
                "missing_bytes",
                "re-reads",
                "time_ms",
                "rate_MiB/s",
                "SHA-256");
        for (DatagramTransfer one : moved) {
            table.row(
                    one.operation().title(),
                    Long.toString(one.messages()),
                    Long.toString(content.size()),
                    Long.toString(one.partial()),
                    Long.toString(one.lost()),
                    Long.toString(one.missing()),
                    Long.toString(one.rereads()),
                    Quantities.oneDigit(one.nanos() / 1e6),
                    Quantities.oneDigit(one.rate()),
                    one.equal() ? "equal" : "DIFFERS");
        }
        lines.addAll(table.lines());
        moved.forEach(one -> addHoles(lines, one));
        lines.add("datagrams: " + traffic.sent() + " sent, " + traffic.injected()
                + " lost by injection before sending, " + traffic.dropped() + " dropped by the kernel");
        return lines;
    }

    private static void addHoles(List<String> lines, DatagramTransfer one) {
        List<DatagramTransfer.Holes> holes = one.holes();
        if (holes.isEmpty()) {
            return;
        }
        lines.add("holes of " + one.operation().title() + " as offset+bytes, before they were read again:");
        holes.stream().limit(MOST_SHOWN).forEach(hole -> lines.add("  " + hole));
        if (holes.size() > MOST_SHOWN) {
            lines.add("  and in " + (holes.size() - MOST_SHOWN) + " more messages; --json has all");
        }
    }

    Result result() {
        List<Row> rows = new ArrayList<>();
        for (DatagramTransfer one : moved) {
            rows.add(new Row(
                    one.operation().title(),
                    one.messages(),
                    content.size(),
                    one.partial(),
                    one.lost(),
                    one.missing(),
                    one.rereads(),
                    one.nanos() / 1e6,
                    one.rate(),
                    one.arrivedSha256(),
                    one.equal(),
                    one.firstDifference(),
                    one.holes()));
        }
        return new Result(
                Addresses.text(ends.address()), injected, rows, traffic.sent(), traffic.injected(), traffic.dropped());
    }

    /** {@return the hash of the file} */
    String sha256() {
        return moved.get(0).sha256();
    }
}
