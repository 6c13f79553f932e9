package dev.jwarp.tools.loss;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jwarp.tools.figure.RunSpread;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A point of the loss experiment")
class PointTest {
    private static Row row(int run, @Nullable Double rtt, @Nullable Double goodput) {
        return new Row(
                "UD send",
                1.0,
                1024,
                10,
                9,
                0,
                1,
                0,
                90,
                99.0,
                90,
                99.0,
                goodput,
                1,
                null,
                1L,
                0L,
                1,
                0,
                "",
                Row.Status.OK,
                run,
                0.5,
                rtt,
                null);
    }

    private static Point of(@Nullable Double... goodputs) {
        List<Row> rows = IntStream.range(0, goodputs.length)
                .mapToObj(i -> row(i + 1, null, goodputs[i]))
                .toList();
        List<Point> points = Point.of(rows);
        assertThat(points).hasSize(1);
        return points.get(0);
    }

    @Test
    @DisplayName("has median, least and most of the runs that have a value")
    void spread() {
        assertThat(of(3.0, 9.0, 1.0).spread(Row::goodputMibPerS)).isEqualTo(new RunSpread(3, 1, 9));
        assertThat(of(3.0, 9.0, 1.0, 4.0).median(Row::goodputMibPerS)).isEqualTo(3.5);
        assertThat(of(null, 9.0).spread(Row::goodputMibPerS)).isEqualTo(new RunSpread(9, 9, 9));
        assertThat(of(null, null).spread(Row::goodputMibPerS)).isNull();
    }

    @Test
    @DisplayName("has one round trip and the messages of all its runs")
    void groups() {
        List<Point> points =
                Point.of(Arrays.asList(row(1, 1.0, 1.0), row(1, 50.0, 2.0), row(2, 1.0, 3.0), row(2, 50.0, 4.0)));

        assertThat(points).hasSize(2);
        assertThat(points.get(1).median(Row::goodputMibPerS)).isEqualTo(3);
        assertThat(points.get(0).sum(Row::messages)).isEqualTo(20);
        assertThat(LossReport.table(points).get(1)).containsPattern("UD send +1024 +1 +1 +2 +20 +18 ");
    }
}
