package dev.jwarp.benchmarks.datagram;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * What one round came to.
 *
 * @param operations round trips, or messages that came whole
 * @param octets of these, one way
 * @param nanos it took
 * @param p50 of the round trips in nanoseconds; 0 for streams
 * @param p99 likewise
 * @param p999 likewise
 * @param allocated octets, all threads of the process
 * @param cpu nanoseconds, all threads of the process
 * @param lost messages that did not come, or not whole
 * @param dropped datagrams for which the kernel had no room
 * @param others nanoseconds of CPU time that other processes used meanwhile
 */
public record Figures(
        long operations,
        long octets,
        long nanos,
        long p50,
        long p99,
        long p999,
        long allocated,
        long cpu,
        long lost,
        long dropped,
        long others) {
    /** More than this share of a core used by other processes disturbs. */
    private static final double DISTURBING = 0.1;

    /** {@return what contenders are held against each other by: microseconds, or MB/s} */
    double value(boolean latency) {
        return latency ? p50 / 1e3 : octets * 1e3 / nanos;
    }

    double perOperation(long sum) {
        return (double) sum / Math.max(1, operations);
    }

    boolean disturbed() {
        return others > DISTURBING * nanos;
    }

    Figures withCosts(long octetsAllocated, long cpuNanos, long drops, long othersNanos) {
        return new Figures(
                operations, octets, nanos, p50, p99, p999, octetsAllocated, cpuNanos, lost, drops, othersNanos);
    }

    String line() {
        return Arrays.stream(
                        new long[] {operations, octets, nanos, p50, p99, p999, allocated, cpu, lost, dropped, others})
                .mapToObj(Long::toString)
                .collect(Collectors.joining("\t"));
    }

    static Figures parse(String line) {
        long[] f =
                Arrays.stream(line.split("\t", -1)).mapToLong(Long::parseLong).toArray();
        return new Figures(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10]);
    }
}
