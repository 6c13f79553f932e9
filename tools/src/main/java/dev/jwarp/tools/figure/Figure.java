package dev.jwarp.tools.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.markers.Marker;

/**
 * A page with a title, one legend for all charts, charts in rows, and remarks. Lengths are pixels of an SVG.
 *
 * @param name the name of its files
 * @param title in large letters
 * @param legend the meaning of the colours
 * @param columns charts in a row
 * @param panels the charts, row by row
 * @param remarks sentences below
 */
public record Figure(
        String name, String title, List<Key> legend, int columns, List<Panel> panels, List<String> remarks) {
    /** The font of text in the figure. */
    public static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
    /** The font of axes and remarks. */
    public static final Font SMALL = TEXT.deriveFont(10f);

    private static final Font HEADING = TEXT.deriveFont(Font.BOLD, 16f);
    private static final Font OF_PANEL = TEXT.deriveFont(Font.BOLD, 12f);
    private static final Color FAINT = new Color(0x555555);
    private static final int MARGIN = 16;
    private static final int LINE = 16;
    private static final int LEGEND_Y = 52;
    private static final int SWATCH = 22;
    private static final int MARKER = 7;
    private static final int GAP = 18;
    /** Approximate width of a letter of the small font, rounded up so that lines of remarks fit with every font. */
    private static final double LETTER = 5.4;
    /** Approximate width of a letter of the legend. */
    private static final double TEXT_LETTER = 7;
    /** Approximate width of a letter of the title. */
    private static final double HEADING_LETTER = 9.6;

    private static final int LEAST_WIDTH = 780;

    /**
     * An entry of the legend.
     *
     * @param label the text
     * @param color of the line or the bars
     * @param marker of the line; null for bars
     */
    public record Key(String label, Color color, @Nullable Marker marker) {}

    /**
     * One chart.
     *
     * @param title above it
     * @param chart null if there are no data
     * @param width the width
     * @param height the height, including the title
     */
    public record Panel(String title, @Nullable Chart<?, ?> chart, int width, int height) {}

    /** {@return the width in pixels} */
    public int width() {
        int widest = 0;
        for (int row = 0; row < rows(); row++) {
            int sum = 0;
            for (Panel panel : row(row)) {
                sum += panel.width();
            }
            widest = Math.max(widest, sum);
        }
        return Math.max(Math.max(widest, LEAST_WIDTH), (int) (title.length() * HEADING_LETTER)) + 2 * MARGIN;
    }

    /** {@return the height in pixels} */
    public int height() {
        int sum = top();
        for (int row = 0; row < rows(); row++) {
            sum += row(row).get(0).height();
        }
        return sum + LINE * broken().size() + 2 * MARGIN;
    }

    private int top() {
        return LEGEND_Y + LINE + LINE * legendRows().size();
    }

    private int rows() {
        return (panels.size() + columns - 1) / columns;
    }

    private List<Panel> row(int row) {
        return panels.subList(row * columns, Math.min(panels.size(), (row + 1) * columns));
    }

    /** Paints the figure. */
    public void paint(Graphics2D graphics) {
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width(), height());
        text(graphics, HEADING, Color.BLACK, title, MARGIN, MARGIN + LINE);
        paintLegend(graphics);
        int y = top();
        for (int row = 0; row < rows(); row++) {
            int x = MARGIN;
            for (Panel panel : row(row)) {
                paint(graphics, panel, x, y);
                x += panel.width();
            }
            y += row(row).get(0).height();
        }
        y += MARGIN + LINE / 2;
        for (String line : broken()) {
            text(graphics, SMALL, FAINT, line, MARGIN, y);
            y += LINE;
        }
    }

    private void paintLegend(Graphics2D graphics) {
        int y = LEGEND_Y;
        FontMetrics metrics = graphics.getFontMetrics(TEXT);
        for (List<Key> row : legendRows()) {
            int x = MARGIN;
            for (Key key : row) {
                graphics.setColor(key.color());
                if (key.marker() == null) {
                    graphics.fillRect(x, y, SWATCH, 10);
                } else {
                    graphics.setStroke(new BasicStroke(2));
                    graphics.drawLine(x, y + 5, x + SWATCH, y + 5);
                    key.marker().paint(graphics, x + SWATCH / 2.0, y + 5, MARKER);
                }
                text(graphics, TEXT, Color.BLACK, key.label(), x + SWATCH + 6, y + 10);
                x += SWATCH + 6 + metrics.stringWidth(key.label()) + GAP;
            }
            y += LINE;
        }
    }

    /** {@return the entries of the legend in rows that fit the width, at least one} */
    private List<List<Key>> legendRows() {
        List<List<Key>> rows = new ArrayList<>(List.of(new ArrayList<>()));
        double x = MARGIN;
        for (Key key : legend) {
            double width = SWATCH + 6 + key.label().length() * TEXT_LETTER + GAP;
            if (x > MARGIN && x + width > width()) {
                rows.add(new ArrayList<>());
                x = MARGIN;
            }
            rows.get(rows.size() - 1).add(key);
            x += width;
        }
        return rows;
    }

    private static void paint(Graphics2D graphics, Panel panel, int x, int y) {
        text(graphics, OF_PANEL, Color.BLACK, panel.title(), x + 8, y + LINE);
        Chart<?, ?> chart = panel.chart();
        if (chart == null) {
            text(graphics, SMALL, FAINT, "nothing to show", x + 24, y + panel.height() / 2);
            return;
        }
        AffineTransform before = graphics.getTransform();
        graphics.translate(x, y + LINE + 4);
        graphics.setStroke(new BasicStroke(1));
        chart.paint(graphics, panel.width() - 6, panel.height() - LINE - 8);
        graphics.setTransform(before);
        graphics.setClip(null);
    }

    private static void text(Graphics2D graphics, Font font, Color color, String words, int x, int y) {
        graphics.setFont(font);
        graphics.setColor(color);
        graphics.drawString(words, x, y);
    }

    /** {@return the remarks in lines that fit the width} */
    private List<String> broken() {
        int letters = (int) ((width() - 2 * MARGIN) / LETTER);
        List<String> lines = new ArrayList<>();
        for (String remark : remarks) {
            StringBuilder line = new StringBuilder();
            for (String word : remark.split(" ", -1)) {
                if (!line.isEmpty() && line.length() + 1 + word.length() > letters) {
                    lines.add(line.toString());
                    line.setLength(0);
                    line.append("   ");
                }
                line.append(line.isEmpty() ? "" : " ").append(word);
            }
            lines.add(line.toString());
        }
        return lines;
    }
}
