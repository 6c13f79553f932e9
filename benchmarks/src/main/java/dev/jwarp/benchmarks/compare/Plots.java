package dev.jwarp.benchmarks.compare;

import dev.jwarp.tools.figure.Drawing;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws the results of a run. */
final class Plots {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 520;
    private static final Color MEASURED = new Color(0x2B6CB0);
    private static final Color ASKED = new Color(0xC05621);
    private static final int LABEL_DEGREES = 45;
    /** Pixels between labels: so few that no label is left out. */
    private static final int TICKS = 10;

    /** Goals with ratios that should be high, and goals with ratios that should be low. */
    private static final Set<String> MORE = Set.of("P1", "P2", "P3", "P4", "P8", "P10", "P14");

    private static final Set<String> LESS = Set.of("P5", "P6", "P7", "P9", "P13");

    private Plots() {}

    /** {@return the names of the written files} Contenders that did not run are not drawn. */
    static List<String> write(Path folder, Report report) throws IOException {
        Files.createDirectories(folder);
        List<String> names = new ArrayList<>();
        bars(folder, "rates.png", "Rates: ours divided by the peer's (more is better)", report, MORE, names);
        bars(
                folder,
                "round-trips.png",
                "Round trips: ours divided by the peer's (less is better)",
                report,
                LESS,
                names);
        curves(folder, "scale.png", report, names);
        return names;
    }

    private static void bars(
            Path folder, String name, String title, Report report, Set<String> goals, List<String> names)
            throws IOException {
        List<Outcome> shown = report.byGoal().values().stream()
                .flatMap(List::stream)
                .filter(outcome -> goals.contains(outcome.comparison().goal()) && outcome.notRun() == null)
                .toList();
        if (shown.isEmpty()) {
            return;
        }
        CategoryChart chart = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle("ratio")
                .build();
        plain(chart.getStyler());
        chart.getStyler().setXAxisLabelRotation(LABEL_DEGREES);
        chart.getStyler().setAvailableSpaceFill(0.8);
        List<String> labels = new ArrayList<>();
        for (Outcome outcome : shown) {
            labels.add(unique(labels, outcome.comparison().goal() + " " + peer(outcome.comparison())));
        }
        chart.addSeries("measured", labels, shown.stream().map(Outcome::median).toList())
                .setFillColor(MEASURED);
        chart.addSeries(
                        "asked",
                        labels,
                        shown.stream()
                                .map(outcome -> outcome.comparison().bound().value())
                                .toList())
                .setFillColor(ASKED);
        save(chart, folder.resolve(name));
        names.add(name);
    }

    private static String peer(Comparison comparison) {
        String label = comparison.label();
        return label.substring(label.indexOf(" / ") + 3);
    }

    private static String unique(List<String> labels, String label) {
        String name = label;
        for (int i = 2; labels.contains(name); i++) {
            name = label + " " + i;
        }
        return name;
    }

    private static void curves(Path folder, String name, Report report, List<String> names) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title("Cost of a message by the number of connections or peers; with one it is 1")
                .xAxisTitle("connections or peers")
                .yAxisTitle("cost")
                .build();
        plain(chart.getStyler());
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisMin(0.0);
        report.samples()
                .forEach((workload, samples) -> workload.comparisons().stream()
                        .filter(Comparison::isCurve)
                        .forEach(comparison -> {
                            List<Double> x = new ArrayList<>();
                            List<Double> y = new ArrayList<>();
                            for (String point : comparison.mine()) {
                                Double median = samples.median(point, comparison.metric());
                                if (median != null) {
                                    x.add(Double.valueOf(point.substring(point.lastIndexOf(' ') + 1)));
                                    y.add(median);
                                }
                            }
                            if (x.size() > 1) {
                                double first = y.get(0);
                                y.replaceAll(value -> value / first);
                                String label = comparison.label();
                                chart.addSeries(
                                                label.substring(0, label.indexOf(", dearest"))
                                                        .replace("Sends over connections", "RC")
                                                        .replace("Sends to UD peers", "UD"),
                                                x,
                                                y)
                                        .setMarker(SeriesMarkers.CIRCLE);
                            }
                        }));
        if (!chart.getSeriesCollection().isEmpty()) {
            save(chart, folder.resolve(name));
            names.add(name);
        }
    }

    private static void plain(AxesChartStyler styler) {
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setLegendPosition(Styler.LegendPosition.OutsideS);
        styler.setLegendLayout(Styler.LegendLayout.Horizontal);
        styler.setXAxisTickMarkSpacingHint(TICKS);
        styler.setLocale(Locale.ROOT);
    }

    private static void save(Chart<?, ?> chart, Path file) throws IOException {
        Drawing.png(WIDTH, HEIGHT, graphics -> chart.paint(graphics, WIDTH, HEIGHT), file);
    }
}
