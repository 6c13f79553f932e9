package dev.jwarp.tools.figure;

import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The points of one series, with whiskers from least to most. */
public final class Line {
    /** Colours that colour-blind readers can distinguish. */
    private static final int[] COLORS = {0x0072B2, 0x56B4E9, 0x009E73, 0xD55E00, 0xE69F00, 0x000000, 0xCC79A7};

    private static final List<Marker> MARKERS = List.of(
            SeriesMarkers.CIRCLE,
            SeriesMarkers.SQUARE,
            SeriesMarkers.DIAMOND,
            SeriesMarkers.TRIANGLE_UP,
            SeriesMarkers.TRIANGLE_DOWN,
            SeriesMarkers.CROSS,
            SeriesMarkers.PLUS);

    private final List<Double> places = new ArrayList<>();
    private final List<Double> medians = new ArrayList<>();
    private final List<Double> whiskerPlaces = new ArrayList<>();
    private final List<Double> whiskers = new ArrayList<>();

    /** {@return the colour of a series, by its number from 0} */
    public static Color color(int series) {
        return new Color(COLORS[series % COLORS.length]);
    }

    /** {@return the marker of a series, by its number from 0} */
    public static Marker marker(int series) {
        return MARKERS.get((series + series / COLORS.length) % MARKERS.size()); // no pair of both twice
    }

    /** {@return the entry of a series in the legend} */
    public static Figure.Key key(String label, int series) {
        return new Figure.Key(label, color(series), marker(series));
    }

    /** Adds a point. */
    public void add(double place, RunSpread spread) {
        places.add(place);
        medians.add(spread.median());
        if (spread.most() > spread.least()) {
            // NaN ends a line.
            whiskerPlaces.addAll(List.of(place, place, place));
            whiskers.addAll(List.of(spread.least(), spread.most(), Double.NaN));
        }
    }

    /**
     * Draws the points into a chart.
     *
     * @param name unique in the chart
     * @param number of the series, for its colour and marker
     * @param joined whether a line joins the points
     */
    public void into(XYChart chart, String name, int number, boolean joined) {
        if (!whiskers.isEmpty()) {
            XYSeries series = chart.addSeries(name + ", spread", whiskerPlaces, whiskers);
            series.setLineColor(color(number));
            series.setLineWidth(1);
            series.setLineStyle(SeriesLines.SOLID);
            series.setMarker(SeriesMarkers.NONE);
        }
        if (!places.isEmpty()) {
            XYSeries series = chart.addSeries(name, places, medians);
            series.setLineColor(color(number));
            series.setLineStyle(joined ? SeriesLines.SOLID : SeriesLines.NONE);
            series.setMarkerColor(color(number));
            series.setMarker(marker(number));
        }
    }
}
