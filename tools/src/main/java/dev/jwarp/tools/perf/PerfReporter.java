package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.ToolFailure;
import dev.jwarp.tools.perf.PerfResult.Side;
import dev.jwarp.tools.perf.PerfSettings.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;

/** Prints results in the format that the user wants, and keeps the latest. One thread. */
public final class PerfReporter {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double MILLION = 1e6;
    /** Most rows that are kept: the latest ones of a run without end. */
    private static final int MOST = 20_000;

    private final PerfSettings settings;
    private final PerfPage page;
    private final Consumer<String> line;
    private final List<PerfResult> results = new ArrayList<>();
    private final List<String> missed = new ArrayList<>();
    private boolean begun;

    /** @param line prints a line of the page */
    public PerfReporter(PerfSettings settings, Consumer<String> line) {
        this.settings = settings;
        this.page = new PerfPage(settings);
        this.line = line;
    }

    /** Prints that a server waits. */
    public void waiting() {
        page(PerfPage.waiting());
    }

    /** Prints the lines above the rows. */
    public void begin(PageHead head) {
        begun = true;
        page(page.head(head));
    }

    /**
     * Prints the results of one size.
     *
     * @param measured the result of this end; in a bidirectional test those of this end, of the other end, and the sum
     */
    public void row(List<PerfResult> measured) {
        if (results.size() > MOST) {
            results.subList(0, MOST / 10).clear();
        }
        results.addAll(measured);
        for (PerfResult result : measured) {
            if (result.side() == Side.SUM
                    || measured.size() == 1
                    || settings.report().both()) {
                judge(result);
                if (settings.report().output() == Output.PAGE) {
                    line.accept(page.row(result));
                } else {
                    line.accept(number(result));
                }
            }
        }
    }

    private String number(PerfResult result) {
        Latency latency = result.latency();
        double value =
                switch (settings.report().output()) {
                    case BANDWIDTH -> page.inUnit(result.bytesPerSecond());
                    case MESSAGE_RATE -> result.messagesPerSecond() / MILLION;
                    default -> latency == null ? Double.NaN : latency.mean() / NANOS_PER_MICRO;
                };
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.6f", value) : "-";
    }

    private void judge(PerfResult result) {
        PerfSettings.Reporting limits = settings.report();
        below(result, "bandwidth", page.inUnit(result.bytesPerSecond()), limits.minBandwidth(), limits.unit());
        below(result, "message rate", result.messagesPerSecond() / MILLION, limits.minMessageRate(), "Mpps");
        Double most = limits.maxP99();
        Latency latency = result.latency();
        double p99 = latency == null ? Double.NaN : latency.p99() / NANOS_PER_MICRO;
        if (most != null && !(p99 <= most)) {
            String value = Double.isNaN(p99) ? "was not measured" : String.format(Locale.ROOT, "%.2f usec", p99);
            missed.add(result.size() + " bytes: 99th percentile " + value + ", the limit is " + most);
        }
    }

    private void below(PerfResult result, String what, double value, @Nullable Double least, String unit) {
        if (least != null && !(value >= least)) {
            missed.add(String.format(
                    Locale.ROOT, "%d bytes: %s %.6f %s, less than %s", result.size(), what, value, unit, least));
        }
    }

    /**
     * Prints the histogram of latencies.
     *
     * @param share the factor for each time
     */
    public void histogram(Histogram nanos, double share) {
        if (!settings.report().histogram() || settings.report().output() != Output.PAGE) {
            return;
        }
        line.accept(" usec, times:");
        for (HistogramIterationValue value : nanos.recordedValues()) {
            line.accept(String.format(
                    Locale.ROOT,
                    " %.3f, %d",
                    value.getValueIteratedTo() * share / NANOS_PER_MICRO,
                    value.getCountAddedInThisIterationStep()));
        }
    }

    /** Ends the page, if it was begun. */
    public void end() {
        if (begun) {
            begun = false;
            page(List.of(PerfPage.rule()));
        }
    }

    private void page(List<String> lines) {
        if (settings.report().output() == Output.PAGE) {
            lines.forEach(line);
        }
    }

    /** {@return the results so far} */
    public List<PerfResult> results() {
        return List.copyOf(results);
    }

    /** Fails if a row missed a limit that the user has set. */
    public void check() {
        if (!missed.isEmpty()) {
            throw ToolFailure.failed(
                    missed.size() + (missed.size() == 1 ? " limit was" : " limits were") + " missed",
                    missed.toArray(String[]::new));
        }
    }
}
