package dev.jwarp.tools.figure;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.Locale;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.XYStyler;

/** Charts of XChart in the style of the figures. The figure, not the chart, has title and legend. */
public final class Charts {
    private static final Color GRID = new Color(0xDDDDDD);
    /** Tolerance for logarithms: the computed logarithm of 0.1 may be slightly above or below -1. */
    private static final double ROUNDING = 1e-9;

    private Charts() {}

    /** {@return a chart of lines, with a logarithmic axis} */
    public static CategoryChart lines(String unit, String below) {
        CategoryChart chart = plain(unit, below);
        CategoryStyler styler = chart.getStyler();
        styler.setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Line);
        styler.setOverlapped(true);
        styler.setMarkerSize(6);
        logarithmic(styler);
        return chart;
    }

    /** {@return a chart of lines, with a linear axis from 0} */
    public static CategoryChart linear(String unit, String below) {
        CategoryChart chart = plain(unit, below);
        CategoryStyler styler = chart.getStyler();
        styler.setDefaultSeriesRenderStyle(CategorySeriesRenderStyle.Line);
        styler.setOverlapped(true);
        styler.setMarkerSize(6);
        styler.setYAxisMin(0.0);
        return chart;
    }

    /**
     * {@return a chart of lines over numbers, on a logarithmic axis} A logarithmic axis has no 0: it is shown at
     * {@link #ofNothing}, at the left end.
     *
     * @param least the least number above 0
     * @param most the largest number
     * @param nothing whether the axis has a place for 0
     */
    public static XYChart over(String unit, String below, double least, double most, boolean nothing) {
        XYChart chart = new XYChartBuilder()
                .width(100)
                .height(100)
                .xAxisTitle(below)
                .yAxisTitle(unit)
                .build();
        XYStyler styler = chart.getStyler();
        plain(styler);
        double left = nothing ? ofNothing(least) : 10 * ofNothing(least);
        styler.setXAxisLogarithmic(true);
        styler.setXAxisLogarithmicDecadeOnly(true);
        styler.setXAxisMin(left);
        styler.setXAxisMax(Math.max(10 * left, Math.pow(10, Math.ceil(Math.log10(most) - ROUNDING))));
        styler.setXAxisTickLabelsFormattingFunction(x -> nothing && x < left * 1.5 ? "0" : power(x));
        styler.setPlotGridVerticalLinesVisible(true);
        return chart;
    }

    /** {@return the place of 0: a power of ten below that of the least other number} */
    public static double ofNothing(double least) {
        return Math.pow(10, Math.floor(Math.log10(least) + ROUNDING) - 1);
    }

    /** Makes the y axis logarithmic. */
    public static void logarithmic(AxesChartStyler styler) {
        styler.setYAxisLogarithmic(true);
        styler.setYAxisLogarithmicDecadeOnly(true);
        styler.setYAxisTickLabelsFormattingFunction(Charts::power);
    }

    /** {@return a chart of stacked bars, from 0 to 100 %} */
    public static CategoryChart bars(String below) {
        CategoryChart chart = plain("", below);
        CategoryStyler styler = chart.getStyler();
        styler.setStacked(true);
        styler.setAvailableSpaceFill(0.8);
        styler.setYAxisMin(0.0);
        styler.setYAxisMax(100.0);
        styler.setYAxisTitleVisible(false);
        styler.setYAxisDecimalPattern("0");
        return chart;
    }

    /** {@return a chart of bars with error bars, from 0} */
    public static CategoryChart upright(String unit) {
        CategoryChart chart = plain(unit, "");
        CategoryStyler styler = chart.getStyler();
        styler.setAvailableSpaceFill(0.6);
        styler.setYAxisMin(0.0);
        styler.setXAxisTitleVisible(false);
        return chart;
    }

    /** Extends the y axis to whole powers of ten. */
    public static void decades(Chart<? extends AxesChartStyler, ?> chart, double least, double most) {
        double from = Math.floor(Math.log10(least));
        double to = Math.max(from + 1, Math.ceil(Math.log10(most)));
        chart.getStyler().setYAxisMin(Math.pow(10, from));
        chart.getStyler().setYAxisMax(Math.pow(10, to));
    }

    private static CategoryChart plain(String unit, String below) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(100)
                .height(100)
                .xAxisTitle(below)
                .yAxisTitle(unit)
                .build();
        plain(chart.getStyler());
        return chart;
    }

    private static void plain(AxesChartStyler styler) {
        styler.setChartTitleVisible(false);
        styler.setLegendVisible(false);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBackgroundColor(Color.WHITE);
        styler.setPlotBorderColor(Color.GRAY);
        styler.setPlotGridLinesColor(GRID);
        styler.setPlotGridLinesStroke(new BasicStroke(1));
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setAxisTitleFont(Figure.SMALL);
        styler.setAxisTickLabelsFont(Figure.SMALL);
        styler.setAxisTitlePadding(5);
        styler.setAxisTickPadding(4);
        styler.setXAxisTickMarkSpacingHint(8);
        styler.setYAxisTickMarkSpacingHint(24);
        styler.setAxisTickMarkLength(3);
        styler.setPlotMargin(0);
        styler.setChartPadding(4);
        styler.setLocale(Locale.ROOT);
    }

    private static String power(double value) {
        return value >= 1
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.9f", value).replaceFirst("0+$", "");
    }
}
