package dev.jwarp.tools.perf;

import org.jspecify.annotations.Nullable;

/**
 * What was measured of one size, at one end or as the sum of both. The measuring code makes it; {@link PerfReporter} prints it.
 *
 * @param side whose figures they are
 * @param size bytes of a message
 * @param messages that came whole
 * @param lost messages that were sent and did not come whole: datagrams only
 * @param nanos how long it was measured
 * @param warmUpNanos how long it ran before
 * @param peak bytes per second in the fastest moment; NaN if it was not measured
 * @param latency of messages; null if none was measured
 * @param allocated bytes of Java objects that the measuring threads made meanwhile; negative if not known
 * @param cpuNanos processor time of the process meanwhile; negative if not known
 * @param cut whether it ended before it was to
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

    /** Whose figures they are. */
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

    /** {@return bytes of Java objects for each message; NaN if not known} */
    public double allocatedPerMessage() {
        return allocated >= 0 && messages > 0 ? (double) allocated / messages : Double.NaN;
    }

    /** {@return seconds of processor time for 10^9 bytes moved; NaN if not known} */
    public double cpuSecondsPerGigabyte() {
        return cpuNanos >= 0 && messages > 0 ? cpuNanos / ((double) messages * size) : Double.NaN;
    }

    /** {@return the processor's share in percent, 100 is one core; NaN if not known} */
    public double cpuPercent() {
        return cpuNanos >= 0 && nanos > 0 ? 100.0 * cpuNanos / nanos : Double.NaN;
    }

    /** {@return the same with a fastest moment} */
    PerfResult peak(double bytesPerSecond) {
        return new PerfResult(
                side, size, messages, lost, nanos, warmUpNanos, bytesPerSecond, latency, allocated, cpuNanos, cut);
    }

    /** {@return the same, where the other end has counted more messages that came whole than this one knows of} */
    PerfResult counted(long whole) {
        long sent = messages + lost;
        long came = Math.min(sent, Math.max(messages, whole));
        return new PerfResult(
                side, size, came, sent - came, nanos, warmUpNanos, peak, latency, allocated, cpuNanos, cut);
    }

    /** {@return the same with what it cost the other end, too} */
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
     * @param oneProcess whether both were measured in the same process, whose processor time is to be counted once
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
