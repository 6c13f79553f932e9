package dev.jwarp.tools.perf;

import dev.jwarp.tools.figure.Charts;
import dev.jwarp.tools.figure.Figure;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * The figure of a run: bandwidth or latency over the size; for a single size, bandwidth over time or the distribution
 * of latencies.
 */
final class PerfFigure {
    private static final int WIDTH = 780;
    private static final int HEIGHT = 380;
    private static final int MOST_POINTS = 60;
    private static final Color[] COLORS = {new Color(0x1F77B4), new Color(0xFF7F0E), new Color(0x2CA02C)};
    private static final Marker[] MARKERS = {SeriesMarkers.CIRCLE, SeriesMarkers.SQUARE, SeriesMarkers.DIAMOND};

    private final CategoryChart chart;
    private final List<Figure.Key> legend = new ArrayList<>();
    private final List<Double> drawn = new ArrayList<>();

    private PerfFigure(CategoryChart chart) {
        this.chart = chart;
    }

    /** {@return the figure} There must be a result. */
    static Figure of(PerfSettings settings, List<PerfResult> results, List<Ticker.Interval> intervals) {
        boolean sizes = results.stream().mapToInt(PerfResult::size).distinct().count() > 1;
        PerfFigure figure;
        if (settings.test().latency()) {
            figure = sizes ? latencyOverSize(results) : spread(results);
        } else {
            figure = sizes || intervals.size() < 2
                    ? bandwidthOverSize(settings, results)
                    : bandwidthOverTime(settings, intervals);
        }
        String title = settings.test().title() + ", " + settings.load().type()
                + (sizes ? "" : ", " + results.get(0).size() + " bytes");
        Figure.Panel panel = new Figure.Panel("", figure.chart, WIDTH, HEIGHT);
        return new Figure("perf", title, figure.legend, 1, List.of(panel), List.of());
    }

    private static PerfFigure bandwidthOverSize(PerfSettings settings, List<PerfResult> results) {
        PerfFigure figure = new PerfFigure(Charts.linear(settings.report().unit(), "bytes of a message"));
        PerfPage page = new PerfPage(settings);
        figure.add("average", sizes(results), values(results, row -> page.inUnit(row.bytesPerSecond())));
        return figure;
    }

    private static PerfFigure bandwidthOverTime(PerfSettings settings, List<Ticker.Interval> intervals) {
        PerfFigure figure = new PerfFigure(Charts.linear(settings.report().unit(), "seconds"));
        List<String> places = new ArrayList<>();
        List<Double> values = new ArrayList<>();
        int step = (intervals.size() + MOST_POINTS - 1) / MOST_POINTS;
        for (int i = 0; i < intervals.size(); i += step) {
            Ticker.Interval interval = intervals.get(i);
            places.add(String.format(Locale.ROOT, "%.1f", interval.endS()));
            values.add(settings.report().gbits() ? interval.bwGbps() : interval.bwMibPerS());
        }
        figure.add("of an interval", places, values);
        return figure;
    }

    private static PerfFigure latencyOverSize(List<PerfResult> results) {
        PerfFigure figure = new PerfFigure(Charts.lines("usec", "bytes of a message"));
        figure.add("median", sizes(results), values(results, row -> micros(row, Latency::p50)));
        figure.add("99 %", sizes(results), values(results, row -> micros(row, Latency::p99)));
        figure.add("99.9 %", sizes(results), values(results, row -> micros(row, Latency::p999)));
        return figure.decades();
    }

    private static PerfFigure spread(List<PerfResult> results) {
        PerfFigure figure = new PerfFigure(Charts.lines("usec", "percentile"));
        List<PerfResult> last = List.of(results.get(results.size() - 1));
        List<Double> values = new ArrayList<>();
        List<ToDoubleFunction<Latency>> ranks = List.of(
                Latency::min, Latency::p50, Latency::p90, Latency::p99, Latency::p999, Latency::p9999, Latency::max);
        ranks.forEach(rank -> values.addAll(values(last, row -> micros(row, rank))));
        figure.add("latency", List.of("least", "50 %", "90 %", "99 %", "99.9 %", "99.99 %", "most"), values);
        return figure.decades();
    }

    private static double micros(PerfResult row, ToDoubleFunction<Latency> rank) {
        Latency latency = row.latency();
        return latency == null ? Double.NaN : rank.applyAsDouble(latency) / 1e3;
    }

    private static List<String> sizes(List<PerfResult> results) {
        return results.stream()
                .map(row -> Integer.toString(row.size()))
                .distinct()
                .toList();
    }

    /** {@return a value for each size, from the last row of that size} */
    private static List<Double> values(List<PerfResult> results, ToDoubleFunction<PerfResult> of) {
        List<Double> values = new ArrayList<>();
        for (String size : sizes(results)) {
            double value = Double.NaN;
            for (PerfResult row : results) {
                value = Integer.toString(row.size()).equals(size) ? of.applyAsDouble(row) : value;
            }
            values.add(Double.isFinite(value) ? value : 0.0);
        }
        return values;
    }

    private void add(String name, List<String> places, List<Double> values) {
        int index = legend.size();
        CategorySeries series = chart.addSeries(name, places, values);
        series.setLineColor(COLORS[index]);
        series.setMarkerColor(COLORS[index]);
        series.setMarker(MARKERS[index]);
        drawn.addAll(values);
        legend.add(new Figure.Key(name, COLORS[index], MARKERS[index]));
        if (places.size() > 12) {
            chart.getStyler().setXAxisLabelRotation(60);
        }
    }

    private PerfFigure decades() {
        double least = Double.MAX_VALUE;
        double most = Double.MIN_NORMAL;
        for (double value : drawn) {
            if (value > 0) {
                least = Math.min(least, value);
                most = Math.max(most, value);
            }
        }
        if (least <= most) {
            Charts.decades(chart, least, most);
        }
        return this;
    }
}
