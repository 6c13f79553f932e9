package dev.jwarp.tools.study.work;

import dev.jwarp.tools.cli.ToolFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The parameters of an application, from words such as {@code over=rc}. */
public final class ApplicationParameters {
    /** Far longer than anything takes that does not fail. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Exchanges that may be lost, in addition to one in twenty. */
    private static final int MOST_LOST = 5;

    private final Map<String, String> values = new HashMap<>();

    /** @param words {@code NAME=VALUE} */
    public ApplicationParameters(List<String> words) {
        for (String word : words) {
            int equals = word.indexOf('=');
            if (equals < 1) {
                throw ToolFailure.usage("'" + word + "' is not NAME=VALUE");
            }
            values.put(word.substring(0, equals), word.substring(equals + 1));
        }
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw ToolFailure.usage("the application needs " + name + "=VALUE");
        }
        return value;
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    /** Something that is timed. */
    @FunctionalInterface
    interface Trip {
        /** {@return whether it went well; otherwise its time does not count} */
        boolean run() throws IOException;
    }

    /** {@return times in nanoseconds: of trips one after another, for the time of the measurement} */
    Histogram times(int warm, Trip trip) throws IOException {
        Histogram times = new Histogram(TimeUnit.MINUTES.toNanos(1), 3);
        for (int i = 0; i < warm; i++) {
            trip.run();
        }
        long begun = System.nanoTime();
        long lost = 0;
        long now = begun;
        while (lasts(begun, times.getTotalCount() > 0)) {
            boolean well = trip.run();
            long after = System.nanoTime();
            if (well) {
                times.recordValue(after - now);
            } else {
                lost++;
            }
            now = after;
        }
        if (times.getTotalCount() == 0 || lost > MOST_LOST + times.getTotalCount() / 20) {
            throw ToolFailure.failed(lost + " of " + (lost + times.getTotalCount()) + " exchanges were lost");
        }
        return times;
    }

    /** {@return median and 99th percentile in microseconds} */
    static Map<String, Double> micros(String name, Histogram nanos) {
        return Map.of(
                name + "_us", nanos.getValueAtPercentile(50) / 1e3,
                name + "_p99_us", nanos.getValueAtPercentile(99) / 1e3);
    }

    /** {@return whether a measurement goes on that began then: until its time is over, and it has something to show} */
    boolean lasts(long begun, boolean something) {
        long took = System.nanoTime() - begun;
        return took < nanos() || (!something && took < PATIENCE.toNanos());
    }

    /** {@return nanoseconds of the measurement} */
    long nanos() {
        return (long) (Double.parseDouble(text("seconds")) * TimeUnit.SECONDS.toNanos(1));
    }
}
