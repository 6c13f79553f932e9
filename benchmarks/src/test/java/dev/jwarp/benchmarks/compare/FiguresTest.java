package dev.jwarp.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A line of figures")
class FiguresTest {
    @Test
    @DisplayName("of a JVM comes back as it went, with the round trips")
    void roundTrip() {
        Histogram times = Contender.histogram();
        times.recordValueWithCount(1_000, 999);
        times.recordValue(50_000);
        String line = Figures.line(new Contender.Sample(1_000, 64_000, 2_000_000, 3, times), 16_000, 4_000_000);
        Figures figures = Figures.parse(line);
        assertThat(figures.operations()).isEqualTo(1_000);
        assertThat(figures.lost()).isEqualTo(3);
        assertThat(figures.cpu()).isEqualTo(4_000_000);
        assertThat(Metric.P50.of(figures)).isCloseTo(1, within(0.01));
        assertThat(figures.times().getMaxValue()).isBetween(50_000L, 50_100L);
        assertThat(Metric.RATE.of(figures)).isCloseTo(32, within(1e-9));
        assertThat(Metric.MEAN.of(figures)).isCloseTo(2, within(1e-9));
        assertThat(Metric.COST.of(figures)).isCloseTo(2_000, within(1e-9));
        assertThat(Metric.MESSAGES.of(figures)).isCloseTo(500, within(1e-9));
    }

    @Test
    @DisplayName("of a program in C says nothing of allocation")
    void ofC() {
        Figures figures = Figures.parse("10\t640\t1000\t0\t");
        assertThat(figures.allocated()).isEqualTo(-1);
        assertThat(figures.times().getTotalCount()).isZero();
    }

    @Test
    @DisplayName("that is none is refused with its words")
    void notALine() {
        assertThatThrownBy(() -> Figures.parse("hello")).hasMessageContaining("hello");
    }

    @Test
    @DisplayName("forgives what the measuring allocates, and not one object a message")
    void allocation() {
        assertThat(Metric.ALLOCATED.of(Figures.parse("10000\t1\t1\t0\t\t8000\t1")))
                .isZero();
        assertThat(Metric.ALLOCATED.of(Figures.parse("10000\t1\t1\t0\t\t160000\t1")))
                .isGreaterThan(15);
    }
}
