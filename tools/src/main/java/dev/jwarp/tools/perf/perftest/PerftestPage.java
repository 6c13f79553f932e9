package dev.jwarp.tools.perf.perftest;

import dev.jwarp.tools.perf.Latency;
import dev.jwarp.tools.perf.PageHead;
import dev.jwarp.tools.perf.PerfReporter;
import dev.jwarp.tools.perf.PerfResult;
import dev.jwarp.tools.perf.PerfResult.Side;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Prints the results of a session on the page of {@code jwarp perf}. One thread. */
public final class PerftestPage implements PerftestFindings {
    private static final double HALF = 0.5;
    private static final double NANOS_PER_MILLIONTH = 1e3;

    private final PerfReporter reporter;
    private final PerftestProgram program;
    private final String device;
    private final int interfaceMtu;
    private final Histogram samples = Latency.histogram();
    private @Nullable Met met;

    /**
     * @param device the name of the device
     * @param interfaceMtu bytes of an IP packet
     */
    public PerftestPage(PerfReporter reporter, PerftestProgram program, String device, int interfaceMtu) {
        this.reporter = reporter;
        this.program = program;
        this.device = device;
        this.interfaceMtu = interfaceMtu;
    }

    /** {@return both ends; null before they are known} */
    public @Nullable Met ends() {
        return met;
    }

    @Override
    public void met(Met ends) {
        met = ends;
        reporter.begin(new PageHead(
                device,
                interfaceMtu,
                true,
                List.of(new PageHead.Endpoint(
                        ends.ours().queuePair(), ends.ours().stag(), ends.ours().address(), ends.local())),
                List.of(new PageHead.Endpoint(
                        ends.theirs().queuePair(),
                        ends.theirs().stag(),
                        ends.theirs().address(),
                        ends.remote()))));
    }

    @Override
    public void bandwidth(int size, long messages, long nanos) {
        row(Side.LOCAL, size, messages, nanos, Double.NaN, null);
    }

    @Override
    public void latencySample(long nanos) {
        samples.recordValue(Math.min(nanos, samples.getHighestTrackableValue()));
    }

    @Override
    public void latency(int size, long messages, long nanos) {
        double share = program.halved() ? HALF : 1;
        row(Side.LOCAL, size, messages, nanos, Double.NaN, Latency.of(samples, share));
        reporter.histogram(samples, share);
        samples.reset();
    }

    @Override
    public void reported(BandwidthReport report) {
        if (!report.plausible() || report.size() > Integer.MAX_VALUE) {
            return; // The data was moved, so a missing or implausible report is not a failure.
        }
        long nanos = Math.round(report.messages() * NANOS_PER_MILLIONTH / report.rate());
        // The report does not have the unit of the bandwidth, so the bandwidth is derived from the rate.
        double bytesPerSecond = report.size() * report.rate() * 1e6;
        double peak = report.peak() > 0 ? bytesPerSecond * report.peak() / report.average() : Double.NaN;
        row(Side.REMOTE, (int) report.size(), report.messages(), nanos, peak, null);
    }

    private void row(Side side, int size, long messages, long nanos, double peak, @Nullable Latency latency) {
        reporter.row(List.of(new PerfResult(side, size, messages, 0, nanos, 0, peak, latency, -1, -1, false)));
    }
}
