package dev.jwarp.benchmarks.compare;

import java.util.StringJoiner;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * What one round of a contender came to, and its line: operations, bytes, nanoseconds, lost, round trips as
 * {@code NANOS:COUNT} with blanks, and of JVMs bytes allocated and nanoseconds of CPU time, with tabs.
 *
 * @param operations messages one way, or round trips
 * @param octets payload one way
 * @param nanos it took
 * @param lost messages or datagrams
 * @param times of round trips; empty for streams
 * @param allocated bytes, all threads; -1 where nothing tells
 * @param cpu nanoseconds, all threads; -1 where nothing tells
 */
record Figures(long operations, long octets, long nanos, long lost, Histogram times, long allocated, long cpu) {
    private static final int COLUMNS_OF_ALL = 5;

    static Figures parse(String line) {
        String[] column = line.split("\t", -1);
        if (column.length < COLUMNS_OF_ALL) {
            throw new IllegalArgumentException("not a line of figures: " + line);
        }
        Histogram times = Contender.histogram();
        for (String part : column[4].split(" ", -1)) {
            if (!part.isEmpty()) {
                int colon = part.indexOf(':');
                times.recordValueWithCount(
                        Long.parseLong(part.substring(0, colon)), Long.parseLong(part.substring(colon + 1)));
            }
        }
        boolean costs = column.length > COLUMNS_OF_ALL + 1;
        return new Figures(
                Long.parseLong(column[0]),
                Long.parseLong(column[1]),
                Long.parseLong(column[2]),
                Long.parseLong(column[3]),
                times,
                costs ? Long.parseLong(column[5]) : -1,
                costs ? Long.parseLong(column[6]) : -1);
    }

    static String line(Contender.Sample sample, long allocated, long cpu) {
        StringJoiner times = new StringJoiner(" ");
        Histogram histogram = sample.times();
        if (histogram != null) {
            for (HistogramIterationValue value : histogram.recordedValues()) {
                times.add(value.getValueIteratedTo() + ":" + value.getCountAddedInThisIterationStep());
            }
        }
        return sample.operations() + "\t" + sample.octets() + "\t" + sample.nanos() + "\t" + sample.lost() + "\t"
                + times + "\t" + allocated + "\t" + cpu;
    }

    /** {@return figures of a tool that tells only its rate} */
    static Figures ofRate(long operations, long octets, long nanos) {
        return new Figures(operations, octets, nanos, 0, Contender.histogram(), -1, -1);
    }

    /** {@return figures of a tool that tells only a typical time, and how many round trips took how long} */
    static Figures ofTypical(long operations, long octets, long nanos, long typical) {
        Figures figures = ofRate(operations, octets, nanos);
        figures.times.recordValueWithCount(Math.max(1, typical), Math.max(1, operations));
        return figures;
    }
}
