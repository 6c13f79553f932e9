package dev.jwarp.tools.loss;

import dev.jwarp.tools.figure.Charts;
import dev.jwarp.tools.figure.Figure;
import dev.jwarp.tools.figure.Figure.Panel;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;

/** The figures of a result: goodput, what became of the messages, latency; each over the rate of loss, by size. */
final class LossFigures {
    private static final int MOST_COLUMNS = 4;
    private static final String LOSS = "% of packets lost";

    /** What became of messages, with colours that are told apart without seeing all of them. */
    private enum Became {
        WHOLE("whole", new Color(0x009E73), Row::whole),
        PARTIAL("in part", new Color(0xE69F00), Row::partial),
        LOST("lost", new Color(0xD55E00), Row::lost),
        UNFINISHED("unfinished when time was up", new Color(0x999999), Row::unfinished);

        private final String label;
        private final Color color;

        @SuppressWarnings("ImmutableEnumChecker") // a method reference
        private final ToLongFunction<Row> number;

        Became(String label, Color color, ToLongFunction<Row> number) {
            this.label = label;
            this.color = color;
            this.number = number;
        }
    }

    private final LossResult result;
    private final List<String> services;
    private final List<Integer> sizes;
    private final List<Double> rates;

    private LossFigures(LossResult result) {
        this.result = result;
        services = result.rows().stream().map(Row::service).distinct().toList();
        sizes = result.rows().stream().map(Row::sizeBytes).distinct().sorted().toList();
        rates = result.rows().stream()
                .map(LossFigures::rate)
                .distinct()
                .sorted()
                .toList();
    }

    static List<Figure> of(LossResult result) {
        LossFigures all = new LossFigures(result);
        return List.of(all.goodput(), all.messages(), all.latency());
    }

    /** Where nothing can be lost, the row is at 0. */
    private static double rate(Row row) {
        return Objects.requireNonNullElse(row.lossPercent(), 0.0);
    }

    private List<String> labels() {
        return rates.stream().map(LossReport::percent).toList();
    }

    private @Nullable Row row(String service, int size, double rate) {
        return result.rows().stream()
                .filter(row -> row.service().equals(service) && row.sizeBytes() == size && rate(row) == rate)
                .findFirst()
                .orElse(null);
    }

    private Figure goodput() {
        int columns = Math.min(MOST_COLUMNS, sizes.size());
        List<Panel> panels = sizes.stream()
                .map(size -> lines(LossReport.size(size), size, 380, "MiB/s", Row::goodputMibPerS))
                .toList();
        return new Figure(
                "goodput",
                "Goodput over the rate of loss, by size of message",
                legend(),
                columns,
                panels,
                remarks("Goodput: bytes that arrived and can be used, over the time from the first posting to the last"
                        + " arrival. A Send counts when it is whole; of a Write-Record and a Read counts what came."
                        + " Logarithmic axis; a point is missing where nothing came."));
    }

    private Figure latency() {
        List<Panel> panels = new ArrayList<>();
        for (int size : sizes) {
            panels.add(lines("median, " + LossReport.size(size), size, 300, "ms", latency(Row.Latency::p50)));
        }
        for (int size : sizes) {
            panels.add(lines("99 %, " + LossReport.size(size), size, 300, "ms", latency(Row.Latency::p99)));
        }
        return new Figure(
                "latency",
                "Latency (median, 99th percentile) over the rate of loss, by size of message",
                legend(),
                sizes.size(),
                panels,
                remarks("Latency: from the posting of a message to the completion that shows its arrival, under load,"
                        + " of messages that arrived whole. Logarithmic axis; a point is missing where none did."));
    }

    private static Function<Row, @Nullable Double> latency(Function<Row.Latency, Double> percentile) {
        return row -> row.latencyUs() == null ? null : percentile.apply(row.latencyUs()) / 1e3;
    }

    private Figure messages() {
        List<Panel> panels = new ArrayList<>();
        for (int size : sizes) {
            for (String service : services) {
                panels.add(bars(service, size));
            }
        }
        List<Figure.Key> keys = new ArrayList<>();
        for (Became became : Became.values()) {
            keys.add(new Figure.Key(became.label, became.color, null));
        }
        return new Figure(
                "messages",
                "What happened to the messages, in % of those posted, over the rate of loss",
                keys,
                services.size(),
                panels,
                remarks("In part: a Write-Record or Read of which the validity map has some bytes, a Send that was"
                        + " given up. Nothing repeats what UD loses; RD and RC repeat it."));
    }

    private List<Figure.Key> legend() {
        return services.stream()
                .map(ServiceLook::of)
                .map(look -> new Figure.Key(look.title(), look.color, look.marker()))
                .toList();
    }

    private List<String> remarks(String first) {
        List<String> remarks = new ArrayList<>(List.of(first, result.where(), result.command()));
        long cut = result.rows().stream().filter(Row::cut).count();
        if (cut > 0) {
            remarks.add(cut + " of " + result.rows().size()
                    + " rows were cut by their time limit: they show what was posted and known by then.");
        }
        return remarks;
    }

    private Panel lines(String title, int size, int width, String unit, Function<Row, @Nullable Double> value) {
        CategoryChart chart = Charts.lines(unit, LOSS);
        double least = Double.MAX_VALUE;
        double most = 0;
        for (String service : services) {
            List<@Nullable Double> values = new ArrayList<>();
            for (double rate : rates) {
                Row row = row(service, size, rate);
                Double number = row == null ? null : value.apply(row);
                if (number == null || number <= 0) {
                    values.add(null);
                    continue;
                }
                values.add(number);
                least = Math.min(least, number);
                most = Math.max(most, number);
            }
            if (values.stream().anyMatch(Objects::nonNull)) {
                CategorySeries series = chart.addSeries(service, labels(), values);
                ServiceLook look = ServiceLook.of(service);
                series.setLineColor(look.color);
                series.setMarkerColor(look.color);
                series.setMarker(look.marker());
            }
        }
        if (most == 0) {
            return new Panel(title, null, width, 270);
        }
        Charts.decades(chart, least, most);
        return new Panel(title, chart, width, 270);
    }

    private Panel bars(String service, int size) {
        CategoryChart chart = Charts.bars(LOSS);
        boolean any = false;
        for (Became became : Became.values()) {
            List<Double> values = new ArrayList<>();
            for (double rate : rates) {
                Row row = row(service, size, rate);
                any |= row != null;
                values.add(row == null ? 0.0 : 100.0 * became.number.applyAsLong(row) / Math.max(1, row.messages()));
            }
            chart.addSeries(became.label, labels(), values).setFillColor(became.color);
        }
        return new Panel(service + ", " + LossReport.size(size), any ? chart : null, 230, 160);
    }
}
