import dev.jwarp.tools.figure.Charts;
import dev.jwarp.tools.figure.Drawing;
import dev.jwarp.tools.figure.Figure;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws each time-line of a folder: what was sent, pace, window, round trip, queue. */
public final class Timelines {
    private static final int POINTS = 200;
    private static final int LABELS = 12;
    private static final Color[] COLORS = {
        new Color(0x1F77B4), new Color(0xFF7F0E), new Color(0x2CA02C), new Color(0xD62728), new Color(0x9467BD)
    };

    private Timelines() {}

    /** Argument: the folder with the time-lines as CSV (panel, series, seconds, value); the figures go there, too. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Drawing.check("");
        String remark = Files.readString(folder.resolve("remark.txt")).strip();
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(".csv")).sorted().toList();
        }
        for (Path file : files) {
            draw(file, remark);
        }
    }

    private static void draw(Path file, String remark) throws IOException {
        List<String> rows = Files.readAllLines(file);
        Map<String, Map<String, List<double[]>>> panels = new LinkedHashMap<>();
        for (String row : rows.subList(1, rows.size())) {
            List<String> cells = cells(row);
            panels.computeIfAbsent(cells.get(0), panel -> new LinkedHashMap<>())
                    .computeIfAbsent(cells.get(1), series -> new ArrayList<>())
                    .add(new double[] {Double.parseDouble(cells.get(2)), Double.parseDouble(cells.get(3))});
        }
        List<Figure.Panel> drawn = new ArrayList<>();
        panels.forEach((title, series) -> drawn.add(panel(title, series)));
        String name = file.getFileName().toString().replaceFirst("\\.csv$", "");
        Figure figure = new Figure(name, cells(rows.get(0)).get(0), List.of(), 1, drawn, List.of(remark));
        Drawing.write(figure, file.getParent(), "interop/congestion/run");
    }

    /** Cells of a row of ours: quoted are those that have a comma in them, and none has a quote. */
    private static List<String> cells(String row) {
        List<String> cells = new ArrayList<>();
        String[] parts = row.split("\"", -1);
        for (int i = 0; i < parts.length; i++) {
            if (i % 2 == 1) {
                cells.add(parts[i]);
            } else {
                for (String part : parts[i].split(",")) {
                    if (!part.isEmpty()) {
                        cells.add(part);
                    }
                }
            }
        }
        return cells;
    }

    /** All series have the same moments; of a flow that tells of itself, its value at the last of its own before. */
    private static Figure.Panel panel(String title, Map<String, List<double[]>> series) {
        double end = series.values().stream().mapToDouble(all -> all.get(all.size() - 1)[0]).max().orElse(1);
        CategoryChart chart = Charts.linear(title.replaceFirst(".*, ", ""), "seconds");
        int number = 0;
        for (Map.Entry<String, List<double[]>> one : series.entrySet()) {
            List<String> places = new ArrayList<>();
            List<Double> values = new ArrayList<>();
            int at = 0;
            List<double[]> samples = one.getValue();
            for (int i = 1; i <= POINTS; i++) {
                double moment = end * i / POINTS;
                while (at + 1 < samples.size() && samples.get(at + 1)[0] <= moment + 1e-6) {
                    at++;
                }
                places.add(String.format(java.util.Locale.ROOT, "%.1f", moment));
                values.add(samples.get(at)[1]);
            }
            CategorySeries line = chart.addSeries(one.getKey(), unique(places), values);
            line.setLineColor(COLORS[number % COLORS.length]);
            line.setMarker(SeriesMarkers.NONE);
            line.setLineWidth(1.2f);
            number++;
        }
        chart.getStyler().setXAxisMaxLabelCount(LABELS);
        chart.getStyler().setLegendVisible(series.size() > 1);
        chart.getStyler().setLegendFont(Figure.SMALL);
        return new Figure.Panel(title, chart, 780, 200);
    }

    /** Places of a chart need different names: a short run has more of them than tenths of a second. */
    private static List<String> unique(List<String> places) {
        List<String> all = new ArrayList<>();
        for (String place : places) {
            all.add(all.contains(place) ? place + " ".repeat(all.size()) : place);
        }
        return all;
    }
}
