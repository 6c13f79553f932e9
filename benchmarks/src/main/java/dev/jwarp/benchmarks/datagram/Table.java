package dev.jwarp.benchmarks.datagram;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Prints what contenders did with one operation: a block for each size, a row for each contender. */
final class Table {
    private static final String ROW = "%-8s %-24s %10s %9s %9s %7s %15s %14s %8s %9s %6s %6s%n";

    private final Setup.Operation operation;
    private final boolean latency;

    Table(Setup.Operation operation, boolean latency) {
        this.operation = operation;
        this.latency = latency;
    }

    void head() {
        System.out.printf(
                "%n%s: UD %s beside RC %s; %s%n",
                latency ? "Latency, round trip" : "Bandwidth",
                operation.overUd,
                operation.overRc,
                latency ? "less is better" : "more is better");
        System.out.printf(
                ROW,
                "size",
                "contender",
                latency ? "p50 us" : "MB/s",
                latency ? "p99 us" : "kmsg/s",
                latency ? "p99.9 us" : "",
                "/ RC",
                "(min..max)",
                "published",
                "B/op",
                "CPU us/op",
                "lost",
                "kdrop");
    }

    /** Prints the rows of one size; the first contender is what the others are divided by. */
    void rows(int octets, List<Setup> contenders, List<List<Figures>> results) {
        for (int i = 0; i < contenders.size(); i++) {
            row(octets, i == 0, contenders.get(i), results.get(i), results.get(0));
        }
    }

    private void row(int octets, boolean first, Setup contender, List<Figures> figures, List<Figures> base) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < figures.size(); i++) {
            ratios.add(figures.get(i).value(latency) / base.get(i).value(latency));
        }
        ratios.sort(null);
        // Ratios of rounds that other processes disturbed say nothing.
        boolean doubtful =
                figures.stream().anyMatch(Figures::disturbed) || base.stream().anyMatch(Figures::disturbed);
        double ratio = middle(ratios);
        System.out.printf(
                ROW,
                first ? size(octets) : "",
                contender.title(),
                text(median(figures, f -> f.value(latency))),
                text(median(figures, f -> latency ? f.p99() / 1e3 : f.operations() * 1e6 / f.nanos())),
                latency ? text(median(figures, f -> f.p999() / 1e3)) : "",
                first ? "" : text(ratio) + (doubtful ? "?" : ""),
                first ? "" : text(ratios.get(0)) + ".." + text(ratios.get(ratios.size() - 1)),
                contender.datagrams()
                        ? Published.verdict(
                                Published.ratio(operation, latency, octets), latency, doubtful ? Double.NaN : ratio)
                        : "",
                text(median(figures, f -> f.perOperation(f.allocated()))),
                text(median(figures, f -> f.perOperation(f.cpu()) / 1e3)),
                figures.stream().mapToLong(Figures::lost).sum(),
                figures.stream().mapToLong(Figures::dropped).sum());
    }

    private static double median(List<Figures> figures, ToDoubleFunction<Figures> value) {
        return middle(figures.stream().map(value::applyAsDouble).sorted().toList());
    }

    private static double middle(List<Double> sorted) {
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static String text(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    /** {@return octets in short} */
    static String size(int octets) {
        return octets >= 1 << 20
                ? (octets >> 20) + " MiB"
                : octets >= 1 << 10 ? (octets >> 10) + " KiB" : octets + " B";
    }
}
