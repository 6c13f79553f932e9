package dev.jwarp.tools.loss;

import dev.jwarp.tools.figure.RunSpread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A point of the experiment: all runs of the same trial.
 *
 * @param what all runs have in common
 * @param runs at least one, in their order
 */
record Point(Key what, List<Row> runs) {
    /**
     * What the runs of a point have in common.
     *
     * @param service as in its rows
     * @param sizeBytes of a message
     * @param path without its loss
     * @param lossPercent null where nothing could be lost
     */
    record Key(
            String service,
            int sizeBytes,
            Network path,
            @Nullable Double lossPercent) {}

    /**
     * What the points of a figure have in common.
     *
     * @param rttMs as in the rows
     * @param bottleneck as in the rows
     */
    record Network(@Nullable Double rttMs, @Nullable String bottleneck) {}

    /** {@return the rows by point, in the order of first appearance} */
    static List<Point> of(List<Row> rows) {
        Map<Key, List<Row>> points = new LinkedHashMap<>();
        for (Row row : rows) {
            Network network = new Network(row.rttMs(), row.bottleneck());
            Key key = new Key(row.service(), row.sizeBytes(), network, row.lossPercent());
            points.computeIfAbsent(key, missing -> new ArrayList<>()).add(row);
        }
        return points.entrySet().stream()
                .map(entry -> new Point(entry.getKey(), List.copyOf(entry.getValue())))
                .toList();
    }

    /** {@return the sum of a number of all runs} */
    long sum(ToLongFunction<Row> number) {
        return runs.stream().mapToLong(number).sum();
    }

    /** {@return median, least and most of those runs that have the value; null if none has} */
    @Nullable
    RunSpread spread(Function<Row, @Nullable Double> value) {
        return RunSpread.of(runs.stream().map(value).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
    }

    /** {@return the median; null if there is none} */
    @Nullable
    Double median(Function<Row, @Nullable Double> value) {
        RunSpread spread = spread(value);
        return spread == null ? null : spread.median();
    }

    /** {@return the notes of the runs, each once} */
    List<String> notes() {
        return runs.stream()
                .map(Row::note)
                .filter(note -> !note.isEmpty())
                .distinct()
                .toList();
    }
}
