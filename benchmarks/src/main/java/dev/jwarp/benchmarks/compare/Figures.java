package dev.jwarp.benchmarks.compare;

import java.util.StringJoiner;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The result of one round of a contender, and its line: operations, bytes, nanoseconds, lost messages, round trips as
 * {@code NANOS:COUNT} separated by blanks and, for JVMs, allocated bytes and nanoseconds of CPU time, separated by
 * tabs.
 *
 * @param operations messages one way, or round trips
 * @param octets payload one way
 * @param nanos duration
 * @param lost lost messages or datagrams
 * @param times durations of round trips; empty for streams
 * @param allocated allocated bytes of all threads; -1 if not known
 * @param cpu CPU time of all threads in nanoseconds; -1 if not known
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

    /** {@return figures of a tool that reports only its rate} */
    static Figures ofRate(long operations, long octets, long nanos) {
        return new Figures(operations, octets, nanos, 0, Contender.histogram(), -1, -1);
    }

    /** {@return figures of a tool that reports only a typical duration, and the number of round trips} */
    static Figures ofTypical(long operations, long octets, long nanos, long typical) {
        Figures figures = ofRate(operations, octets, nanos);
        figures.times.recordValueWithCount(Math.max(1, typical), Math.max(1, operations));
        return figures;
    }
}
