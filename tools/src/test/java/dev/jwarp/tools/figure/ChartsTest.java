package dev.jwarp.tools.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;

@DisplayName("A chart over numbers, on a logarithmic axis")
class ChartsTest {
    @Test
    @DisplayName("has 0 a power of ten below the least other share, and a label at each power of ten")
    void nothing() {
        XYChart chart = Charts.over("", "", 0.1, 5, true);
        Function<Double, String> label = chart.getStyler().getXAxisTickLabelsFormattingFunction();

        assertThat(Charts.ofNothing(0.1)).isCloseTo(0.01, within(1e-9));
        assertThat(Charts.ofNothing(0.5)).isCloseTo(0.01, within(1e-9));
        assertThat(chart.getStyler().getXAxisMin()).isEqualTo(Charts.ofNothing(0.1));
        assertThat(chart.getStyler().getXAxisMax()).isEqualTo(10);
        assertThat(List.of(0.01, 0.1, 1.0, 10.0)).map(label::apply).containsExactly("0", "0.1", "1", "10");
        assertThat(Charts.over("", "", 10, 10, true).getStyler().getXAxisMax()).isEqualTo(10);
    }

    @Test
    @DisplayName("begins with the decade of the least number if there is no 0")
    void something() {
        XYChart chart = Charts.over("", "", 64, 5_000, false);

        assertThat(chart.getStyler().getXAxisMin()).isEqualTo(10);
        assertThat(chart.getStyler().getXAxisMax()).isEqualTo(10_000);
        assertThat(chart.getStyler().getXAxisTickLabelsFormattingFunction().apply(10.0))
                .isEqualTo("10");
    }

    @Test
    @DisplayName("is to scale: as far from 0.1 to 1 as from 1 to 10")
    void scale() {
        Svg.assumeThatItCanBeDrawn();
        XYChart chart = Charts.over("", "", 0.1, 10, true);
        chart.addSeries("some", new double[] {0.1, 0.5, 10}, new double[] {1, 2, 3});
        Graphics2D graphics = new BufferedImage(400, 300, BufferedImage.TYPE_INT_RGB).createGraphics();
        chart.paint(graphics, 400, 300);
        graphics.dispose();

        double decade = chart.getScreenXFromChart(1) - chart.getScreenXFromChart(0.1);
        assertThat(decade).isGreaterThan(50);
        assertThat(chart.getScreenXFromChart(10) - chart.getScreenXFromChart(1)).isCloseTo(decade, within(0.1));
    }
}
