package dev.jwarp.benchmarks.compare;

/** One way to do a workload over loopback, both ends in this process. Used by one thread. */
interface Contender extends AutoCloseable {
    /** Does the workload for about {@code nanos}, after {@link #close} never again. */
    Sample round(long nanos) throws Exception;

    @Override
    void close();

    /**
     * What one round came to.
     *
     * @param operations messages moved one way, or round trips
     * @param octets payload moved one way
     * @param nanos the time it took
     * @param median of the round trips in nanoseconds; 0 for streams
     * @param p99 likewise
     */
    record Sample(long operations, long octets, long nanos, long median, long p99) {
        static Sample ofStream(long operations, long octets, long nanos) {
            return new Sample(operations, octets, nanos, 0, 0);
        }
    }
}
