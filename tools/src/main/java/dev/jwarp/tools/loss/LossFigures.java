package dev.jwarp.tools.loss;

import dev.jwarp.tools.figure.Charts;
import dev.jwarp.tools.figure.Figure;
import dev.jwarp.tools.figure.Figure.Panel;
import dev.jwarp.tools.figure.Line;
import dev.jwarp.tools.figure.RunSpread;
import dev.jwarp.tools.loss.Point.Network;
import java.awt.Color;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * The figures of a result, for each round trip and bottleneck: goodput, arrived shares beside their expectation, fates of
 * the messages, latency; each over the rate of loss, by size.
 */
final class LossFigures {
    private static final int MOST_COLUMNS = 4;
    private static final String LOSS = "% of packets lost";
    private static final double LEAST_RATE = 0.1;
    private static final int STEPS = 80;
    /** The axis is to scale from this multiple of the position of 0 on. */
    private static final double NEXT_TO_NOTHING = 3;

    private static final Color THEORY = new Color(0x777777);

    /** Fates of messages, in colours that colour-blind readers can distinguish. */
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

    /** The content of a chart of lines. */
    private record Shown(String title, int size, int width, String unit, Function<Row, @Nullable Double> value) {}

    private final LossResult result;
    private final Network network;
    private final boolean alone;
    private final List<Point> points;
    private final List<String> services;
    private final List<Integer> sizes;
    private final List<Double> rates;

    /** @param alone whether the result has no other network */
    private LossFigures(LossResult result, List<Point> all, Network network, boolean alone) {
        this.result = result;
        this.network = network;
        this.alone = alone;
        points = all.stream()
                .filter(point -> point.what().lossPercent() == null
                        || point.what().path().equals(network))
                .toList();
        services =
                points.stream().map(point -> point.what().service()).distinct().toList();
        sizes = points.stream()
                .map(point -> point.what().sizeBytes())
                .distinct()
                .sorted()
                .toList();
        rates = points.stream().map(LossFigures::rate).distinct().sorted().toList();
    }

    static List<Figure> of(LossResult result) {
        List<Point> points = Point.of(result.rows());
        // Points that no path affects belong to each network.
        List<Network> networks = points.stream()
                .filter(point -> point.what().lossPercent() != null)
                .map(point -> point.what().path())
                .distinct()
                .toList();
        List<Figure> figures = new ArrayList<>();
        for (Network network : networks.isEmpty() ? List.of(new Network(null, null)) : networks) {
            LossFigures all = new LossFigures(result, points, network, networks.size() < 2);
            figures.add(all.goodput());
            if (!all.unreliable().isEmpty()) {
                figures.add(all.arrival());
            }
            figures.add(all.messages());
            figures.add(all.latency());
        }
        return figures;
    }

    /** A point of a path without losses is at 0. */
    private static double rate(Point point) {
        return Objects.requireNonNullElse(point.what().lossPercent(), 0.0);
    }

    private double leastRate() {
        return rates.stream()
                .filter(rate -> rate > 0)
                .mapToDouble(rate -> rate)
                .min()
                .orElse(LEAST_RATE);
    }

    private double mostRate() {
        return Math.max(leastRate(), rates.get(rates.size() - 1));
    }

    private double place(double rate) {
        return rate > 0 ? rate : Charts.ofNothing(leastRate());
    }

    private List<Point> points(String service, int size) {
        return points.stream()
                .filter(point ->
                        point.what().service().equals(service) && point.what().sizeBytes() == size)
                .sorted((one, other) -> Double.compare(rate(one), rate(other)))
                .toList();
    }

    private List<String> unreliable() {
        return services.stream()
                .filter(service -> service(service).unreliable())
                .toList();
    }

    private Figure figure(
            String name, String title, List<Figure.Key> legend, int columns, List<Panel> panels, String remark) {
        String path = LossPath.text(network.rttMs(), network.bottleneck());
        String suffix = alone ? "" : "-" + path.replaceAll("[^0-9A-Za-z.]+", "-");
        return new Figure(
                name + suffix.toLowerCase(Locale.ROOT),
                path.isEmpty() ? title : title + "; " + path,
                legend,
                columns,
                panels,
                remarks(remark));
    }

    private Figure goodput() {
        List<Panel> panels = sizes.stream()
                .map(size -> lines(new Shown(LossReport.size(size), size, 380, "MiB/s", Row::goodputMibPerS)))
                .toList();
        return figure(
                "goodput",
                "Goodput over the rate of loss, by size of message",
                legend(services),
                Math.min(MOST_COLUMNS, sizes.size()),
                panels,
                "Goodput: usable bytes that arrived, over the time from the first posting to the last arrival. A Send"
                        + " counts only if it is whole; a Write-Record or Read counts with the bytes that arrived. A point"
                        + " is missing if nothing arrived.");
    }

    private Figure latency() {
        List<Panel> panels = new ArrayList<>();
        for (int size : sizes) {
            panels.add(lines(new Shown("median, " + LossReport.size(size), size, 300, "ms", millis(Row.Latency::p50))));
        }
        for (int size : sizes) {
            panels.add(lines(new Shown("99 %, " + LossReport.size(size), size, 300, "ms", millis(Row.Latency::p99))));
        }
        return figure(
                "latency",
                "Latency (median, 99th percentile) over the rate of loss, by size of message",
                legend(services),
                Math.max(2, sizes.size()),
                panels,
                "Latency of messages that arrived whole, under load: from the posting of a message to the completion"
                        + " that shows its arrival. A point is missing if no message arrived whole.");
    }

    private static Function<Row, @Nullable Double> millis(Function<Row.Latency, Double> percentile) {
        return row -> row.latencyUs() == null ? null : percentile.apply(row.latencyUs()) / 1e3;
    }

    private Figure arrival() {
        List<Panel> panels = new ArrayList<>();
        for (int size : sizes) {
            panels.add(arrival(
                    "messages whole, " + LossReport.size(size), size, Row::wholePercent, Service::expectedWhole));
        }
        for (int size : sizes) {
            panels.add(
                    arrival("bytes valid, " + LossReport.size(size), size, Row::validPercent, Service::expectedValid));
        }
        List<Figure.Key> keys = new ArrayList<>(legend(unreliable()));
        keys.add(new Figure.Key("theory, in the colour of its service", THEORY, SeriesMarkers.NONE));
        return figure(
                "arrival",
                "What arrived over UD, and what theory expects, over the rate of loss",
                keys,
                Math.max(2, sizes.size()),
                panels,
                "Theory: each of the n datagrams of a message is lost independently with probability p. (1-p)^n of the"
                        + " Sends arrive whole, and bytes of the others do not count. (1-p)^n of the Write-Records arrive"
                        + " whole, and 1-p of their bytes are valid. A Read needs its request, too.");
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
        return figure(
                "messages",
                "What happened to the messages, in % of those posted, over the rate of loss",
                keys,
                services.size(),
                panels,
                "In part: a Write-Record or Read with some valid bytes, or a Send that was given up. UD does not repeat"
                        + " lost datagrams; RD and RC do.");
    }

    private static List<Figure.Key> legend(List<String> services) {
        return services.stream()
                .map(title -> Line.key(title, number(service(title))))
                .toList();
    }

    private static Service service(String title) {
        return Arrays.stream(Service.values())
                .filter(service -> service.title().equals(title))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no service '" + title + "'"));
    }

    private static int number(Service service) {
        return List.of(Service.values()).indexOf(service);
    }

    private List<String> remarks(String first) {
        List<String> remarks = new ArrayList<>();
        remarks.add(first + " Both axes of lines are logarithmic; a loss of 0 is at the left end.");
        int runs = points.stream().mapToInt(point -> point.runs().size()).max().orElse(1);
        if (runs > 1) {
            remarks.add("Points are medians of " + runs
                    + " runs, and whiskers show least and most. Bars show the messages of all runs.");
        }
        remarks.add(result.where());
        remarks.add(result.command());
        String load = LossReport.load(result.rows());
        if (!load.isEmpty()) {
            remarks.add(load);
        }
        if (network.bottleneck() != null) {
            remarks.add("The queue of the bottleneck drops packets, too; theory has random losses only.");
        }
        long cut = result.rows().stream().filter(Row::cut).count();
        if (cut > 0) {
            remarks.add(cut + " of " + result.rows().size()
                    + " rows were cut by their time limit: they show only messages whose fate was known by then.");
        }
        return remarks;
    }

    private Panel lines(Shown shown) {
        XYChart chart = Charts.over(shown.unit(), LOSS, leastRate(), mostRate(), true);
        Charts.logarithmic(chart.getStyler());
        double least = Double.MAX_VALUE;
        double most = 0;
        for (String service : services) {
            Line drawn = new Line();
            for (Point point : points(service, shown.size())) {
                RunSpread spread = point.spread(shown.value());
                if (spread != null && spread.least() > 0) {
                    drawn.add(place(rate(point)), spread);
                    least = Math.min(least, spread.least());
                    most = Math.max(most, spread.most());
                }
            }
            drawn.into(chart, service, number(service(service)), true);
        }
        if (most == 0) {
            return new Panel(shown.title(), null, shown.width(), 270);
        }
        Charts.decades(chart, least, most);
        return new Panel(shown.title(), chart, shown.width(), 270);
    }

    /** The theoretical value of a service, for a share of loss and a number of datagrams per message. */
    private interface Theory {
        double expected(Service service, double loss, long datagrams);
    }

    private Panel arrival(String title, int size, Function<Row, @Nullable Double> value, Theory theory) {
        XYChart chart = Charts.over("% of what was sent", LOSS, leastRate(), mostRate(), true);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setYAxisMax(100.0);
        chart.getStyler().setYAxisDecimalPattern("0");
        boolean any = false;
        for (String name : unreliable()) {
            Service service = service(name);
            Line drawn = new Line();
            Double datagrams = null;
            for (Point point : points(name, size)) {
                RunSpread spread = point.spread(value);
                if (spread != null) {
                    drawn.add(place(rate(point)), spread);
                    any = true;
                }
                Double known = point.median(row -> row.datagramsPerMessage() == null
                        ? null
                        : row.datagramsPerMessage().doubleValue());
                datagrams = datagrams == null ? known : datagrams;
            }
            if (datagrams != null) {
                curve(chart, service, Math.round(datagrams), theory);
            }
            drawn.into(chart, service.title(), number(service), false);
        }
        return new Panel(title, any ? chart : null, 300, 270);
    }

    /** Draws the curve of theory where the axis is to scale. Left of it, towards 0, the axis is not to scale. */
    private void curve(XYChart chart, Service service, long datagrams, Theory theory) {
        double from = NEXT_TO_NOTHING * Charts.ofNothing(leastRate());
        double to = chart.getStyler().getXAxisMax();
        List<Double> rates = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        for (int i = 0; i <= STEPS; i++) {
            double rate = from * Math.pow(to / from, (double) i / STEPS);
            rates.add(rate);
            values.add(100 * theory.expected(service, rate / 100, datagrams));
        }
        XYSeries series = chart.addSeries(service.title() + ", theory", rates, values);
        series.setLineColor(Line.color(number(service)));
        series.setLineWidth(1);
        series.setLineStyle(SeriesLines.SOLID);
        series.setMarker(SeriesMarkers.NONE);
    }

    private Panel bars(String service, int size) {
        CategoryChart chart = Charts.bars(LOSS);
        List<Point> all = points(service, size);
        for (Became became : Became.values()) {
            List<Double> values = new ArrayList<>();
            for (double rate : rates) {
                values.add(all.stream()
                        .filter(point -> rate(point) == rate)
                        .mapToDouble(point -> 100.0 * point.sum(became.number) / Math.max(1, point.sum(Row::messages)))
                        .findFirst()
                        .orElse(0));
            }
            chart.addSeries(
                            became.label,
                            rates.stream().map(LossReport::percent).toList(),
                            values)
                    .setFillColor(became.color);
        }
        return new Panel(service + ", " + LossReport.size(size), all.isEmpty() ? null : chart, 230, 160);
    }
}
