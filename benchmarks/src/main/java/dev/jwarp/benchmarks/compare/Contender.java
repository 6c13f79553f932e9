package dev.jwarp.benchmarks.compare;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One way to run a workload over loopback, with both ends in this process unless stated otherwise. Used by one thread.
 */
interface Contender extends AutoCloseable {
    /** Runs the workload for about {@code nanos}; must not be called after {@link #close}. */
    Sample round(long nanos) throws Exception;

    @Override
    void close();

    /** {@return an empty histogram of round trips: nanoseconds, within 0.1 %} */
    static Histogram histogram() {
        return new Histogram(TimeUnit.SECONDS.toNanos(100), 3);
    }

    /**
     * The result of one round.
     *
     * @param operations messages moved one way, or round trips
     * @param octets payload moved one way
     * @param nanos duration of the round
     * @param lost messages or datagrams that were lost
     * @param times durations of round trips; null for streams
     */
    record Sample(
            long operations,
            long octets,
            long nanos,
            long lost,
            @Nullable Histogram times) {
        static Sample ofStream(long operations, long octets, long nanos) {
            return new Sample(operations, octets, nanos, 0, null);
        }

        static Sample ofRoundTrips(Histogram times, int length, long nanos) {
            return new Sample(times.getTotalCount(), times.getTotalCount() * length, nanos, 0, times);
        }
    }
}
