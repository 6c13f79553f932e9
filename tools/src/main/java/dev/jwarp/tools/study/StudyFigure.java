package dev.jwarp.tools.study;

import dev.jwarp.tools.figure.Charts;
import dev.jwarp.tools.figure.Figure;
import dev.jwarp.tools.figure.Figure.Panel;
import dev.jwarp.tools.figure.Line;
import dev.jwarp.tools.figure.RunSpread;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.XYChart;

/** The picture of a study: charts by panel and figure, without those that have no points. */
final class StudyFigure {
    private static final int WIDTH = 390;
    private static final int HEIGHT = 270;
    /** A logarithmic axis has no more decades than can be read: smaller values are left out. */
    private static final double LEAST = 1e-6;

    private final StudyReport report;
    private final StudySamples samples;
    private final List<String> labels;
    private final boolean lines;

    private StudyFigure(StudyReport report) {
        this.report = report;
        samples = report.samples();
        labels = samples.rows().stream().map(StudySamples.Row::label).distinct().toList();
        lines = samples.rows().stream().map(StudySamples.Row::x).distinct().count() > 1;
    }

    static Figure of(StudyReport report, List<String> remarks) {
        return new StudyFigure(report).figure(remarks);
    }

    private Figure figure(List<String> remarks) {
        List<Panel> panels = new ArrayList<>();
        for (String panel :
                samples.rows().stream().map(StudySamples.Row::panel).distinct().toList()) {
            for (String name : report.study().figures()) {
                String title = panel.isEmpty() ? name : panel + ", " + name;
                Panel chart = lines ? curves(title, panel, name) : bars(title, panel, name);
                if (chart.chart() != null) {
                    panels.add(chart);
                }
            }
        }
        List<Figure.Key> legend = new ArrayList<>();
        for (int i = 0; i < labels.size(); i++) {
            legend.add(lines ? Line.key(labels.get(i), i) : new Figure.Key(labels.get(i), Line.color(i), null));
        }
        return new Figure(
                report.study().name(),
                report.study().title(),
                legend,
                report.study().figures().size(),
                panels,
                remarks);
    }

    private static String name(String panel, String label) {
        return panel.isEmpty() ? label : panel + " " + label;
    }

    private Panel curves(String title, String panel, String figure) {
        List<Double> places = samples.rows().stream().map(StudySamples.Row::x).toList();
        double least =
                places.stream().filter(x -> x > 0).mapToDouble(x -> x).min().orElse(1);
        double most = places.stream().mapToDouble(x -> x).max().orElse(1);
        XYChart chart = Charts.over("", report.study().x(), least, Math.max(least, most), places.contains(0.0));
        double highest = samples.rows().stream()
                .filter(row -> row.panel().equals(panel))
                .mapToDouble(row -> row.figures().getOrDefault(figure, 0.0))
                .max()
                .orElse(0);
        double lowest = highest;
        for (int i = 0; i < labels.size(); i++) {
            Line line = new Line();
            for (var point : samples.points(name(panel, labels.get(i)), figure).entrySet()) {
                RunSpread spread = point.getValue();
                if (spread.least() > highest * LEAST) {
                    line.add(point.getKey() > 0 ? point.getKey() : Charts.ofNothing(least), spread);
                    lowest = Math.min(lowest, spread.least());
                }
            }
            line.into(chart, labels.get(i), i, true);
        }
        if (highest == 0) {
            return new Panel(title, null, WIDTH, HEIGHT);
        }
        Charts.logarithmic(chart.getStyler());
        Charts.decades(chart, lowest, highest);
        return new Panel(title, chart, WIDTH, HEIGHT);
    }

    private Panel bars(String title, String panel, String figure) {
        CategoryChart chart = Charts.upright("");
        boolean empty = true;
        for (int i = 0; i < labels.size(); i++) {
            String label = labels.get(i);
            for (RunSpread spread : samples.points(name(panel, label), figure).values()) { // of one place
                chart.addSeries(
                                label,
                                List.of(" "),
                                List.of(spread.median()),
                                List.of((spread.most() - spread.least()) / 2))
                        .setFillColor(Line.color(i));
                empty = false;
            }
        }
        return new Panel(title, empty ? null : chart, WIDTH, HEIGHT);
    }
}
