import dev.jwarp.tools.figure.Charts;
import dev.jwarp.tools.figure.Drawing;
import dev.jwarp.tools.figure.Figure;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws the resources of a process over time: memory and tables. */
final class Plots {
    private static final int MOST_POINTS = 40;
    private static final Color[] COLORS = {
        new Color(0x1F77B4), new Color(0xFF7F0E), new Color(0x2CA02C), new Color(0xD62728), new Color(0x9467BD)
    };

    private Plots() {}

    static void draw(List<Sample> samples, String remark, Path folder) throws IOException {
        Drawing.check("");
        List<Figure.Panel> memory = new ArrayList<>();
        memory.add(panel(samples, "Heap after collection and direct memory", "MiB", 1 << 20, List.of("heap_bytes", "direct_bytes")));
        memory.add(panel(samples, "Resident memory of the process", "MiB", 1 << 20, List.of("rss_bytes")));
        save("memory", "Memory", memory, remark, folder);
        List<Figure.Panel> tables = new ArrayList<>();
        tables.add(panel(samples, "File descriptors and threads", "", 1, List.of("fds", "threads")));
        tables.add(panel(samples, "Queue pairs, completion queues, regions, ids", "", 1, List.of("qp", "cq", "mr", "cm_id")));
        save("tables", "Descriptors, threads, tables", tables, remark, folder);
    }

    private static void save(String name, String title, List<Figure.Panel> panels, String remark, Path folder) throws IOException {
        Figure figure = new Figure(name, title + " of a process under load", List.of(), 1, panels, List.of(remark));
        Drawing.write(figure, folder, "interop/soak/run");
    }

    private static Figure.Panel panel(List<Sample> samples, String title, String unit, double divisor, List<String> names) {
        CategoryChart chart = Charts.linear(unit, "minutes");
        int step = (samples.size() + MOST_POINTS - 1) / MOST_POINTS;
        for (int i = 0; i < names.size(); i++) {
            List<String> places = new ArrayList<>();
            List<Double> values = new ArrayList<>();
            for (int at = 0; at < samples.size(); at += step) {
                places.add(String.format("%.1f", samples.get(at).get("seconds") / 60));
                values.add(samples.get(at).get(names.get(i)) / divisor);
            }
            CategorySeries series = chart.addSeries(names.get(i), places, values);
            series.setLineColor(COLORS[i]);
            series.setMarkerColor(COLORS[i]);
            series.setMarker(SeriesMarkers.CIRCLE);
        }
        chart.getStyler().setXAxisLabelRotation(60);
        chart.getStyler().setLegendVisible(true);
        chart.getStyler().setLegendFont(Figure.SMALL);
        return new Figure.Panel(title, chart, 780, 260);
    }
}
