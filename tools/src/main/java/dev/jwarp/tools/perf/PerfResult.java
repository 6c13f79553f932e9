package dev.jwarp.tools.perf;

import org.jspecify.annotations.Nullable;

/**
 * The result of one size, of one end or as the sum of both. {@link PerfReporter} prints it.
 *
 * @param side the end that the figures belong to
 * @param size bytes of a message
 * @param messages number of messages that arrived whole
 * @param lost number of messages that were sent and did not arrive whole: datagrams only
 * @param nanos duration of the measurement
 * @param warmUpNanos duration of the warm-up
 * @param peak peak rate in bytes per second; NaN if it was not measured
 * @param latency of messages; null if none was measured
 * @param allocated bytes of Java objects that the measured threads allocated; negative if unknown
 * @param cpuNanos processor time of the process; negative if unknown
 * @param cut whether the step ended early
 */
public record PerfResult(
        Side side,
        int size,
        long messages,
        long lost,
        long nanos,
        long warmUpNanos,
        double peak,
        @Nullable Latency latency,
        long allocated,
        long cpuNanos,
        boolean cut) {
    private static final double NANOS = 1e9;

    /** The end that the figures belong to. */
    public enum Side {
        LOCAL,
        REMOTE,
        SUM
    }

    /** {@return bytes per second; NaN if no time has passed} */
    public double bytesPerSecond() {
        return nanos > 0 ? (double) messages * size / (nanos / NANOS) : Double.NaN;
    }

    /** {@return messages per second; NaN if no time has passed} */
    public double messagesPerSecond() {
        return nanos > 0 ? messages / (nanos / NANOS) : Double.NaN;
    }

    /** {@return bytes of Java objects for each message; NaN if unknown} */
    public double allocatedPerMessage() {
        return allocated >= 0 && messages > 0 ? (double) allocated / messages : Double.NaN;
    }

    /** {@return seconds of processor time for 10^9 bytes moved; NaN if unknown} */
    public double cpuSecondsPerGigabyte() {
        return cpuNanos >= 0 && messages > 0 ? cpuNanos / ((double) messages * size) : Double.NaN;
    }

    /** {@return the processor use in percent, 100 is one core; NaN if unknown} */
    public double cpuPercent() {
        return cpuNanos >= 0 && nanos > 0 ? 100.0 * cpuNanos / nanos : Double.NaN;
    }

    /** {@return the same with a peak rate} */
    PerfResult peak(double bytesPerSecond) {
        return new PerfResult(
                side, size, messages, lost, nanos, warmUpNanos, bytesPerSecond, latency, allocated, cpuNanos, cut);
    }

    /** {@return the same, corrected by the number of messages that arrived whole at the other end} */
    PerfResult counted(long whole) {
        long sent = messages + lost;
        long came = Math.min(sent, Math.max(messages, whole));
        return new PerfResult(
                side, size, came, sent - came, nanos, warmUpNanos, peak, latency, allocated, cpuNanos, cut);
    }

    /** {@return the same with the costs of the other end added} */
    PerfResult costing(PerfResult follower, boolean oneProcess) {
        return new PerfResult(
                side,
                size,
                messages,
                lost,
                nanos,
                warmUpNanos,
                peak,
                latency,
                sum(allocated, follower.allocated),
                oneProcess ? cpuNanos : sum(cpuNanos, follower.cpuNanos),
                cut || follower.cut);
    }

    /** {@return the same with other latencies} */
    public PerfResult with(@Nullable Latency other) {
        return new PerfResult(side, size, messages, lost, nanos, warmUpNanos, peak, other, allocated, cpuNanos, cut);
    }

    /** {@return the same, as figures of another side} */
    public PerfResult of(Side other) {
        return new PerfResult(other, size, messages, lost, nanos, warmUpNanos, peak, latency, allocated, cpuNanos, cut);
    }

    /**
     * {@return both directions together}
     *
     * @param that the other direction, measured at the same time
     * @param oneProcess whether both ran in one process, whose processor time counts once
     */
    public PerfResult plus(PerfResult that, boolean oneProcess) {
        return new PerfResult(
                Side.SUM,
                size,
                messages + that.messages,
                lost + that.lost,
                Math.max(nanos, that.nanos),
                Math.max(warmUpNanos, that.warmUpNanos),
                peak + that.peak,
                latency,
                sum(allocated, that.allocated),
                oneProcess ? Math.max(cpuNanos, that.cpuNanos) : sum(cpuNanos, that.cpuNanos),
                cut || that.cut);
    }

    private static long sum(long one, long other) {
        return one < 0 || other < 0 ? -1 : one + other;
    }
}
