package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
import dev.jwarp.tools.cli.ToolThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Prints progress lines on standard error at intervals while a step is measured, in a thread of its own, so that the
 * measured thread is not disturbed. Keeps the intervals, up to a limit.
 */
final class Ticker implements AutoCloseable {
    private static final int MOST = 10_000;
    private static final double NANOS = 1e9;

    private final Console console;
    private final PerfSettings settings;
    private final long began;
    private final List<Interval> intervals = new ArrayList<>();
    private final @Nullable ScheduledExecutorService thread;
    private final @Nullable Future<?> ticking;
    private @Nullable PerfWatch watch;
    private boolean counts;
    private int size;
    private long since;
    private long moved;
    private long waited;

    /**
     * The traffic of an interval, for JSON.
     *
     * @param startS seconds since the run began
     * @param endS seconds since the run began
     * @param latencyAvgUs average latency of the messages of the interval; null if this end measured no latency in it
     */
    record Interval(
            double startS,
            double endS,
            int msgSizeBytes,
            long messages,
            double bwMibPerS,
            double bwGbps,
            double msgRateMpps,
            @Nullable Double latencyAvgUs) {}

    Ticker(Console console, PerfSettings settings) {
        this.console = console;
        this.settings = settings;
        began = console.nanoTime().getAsLong();
        Duration every = settings.report().interval();
        if (every.isZero()) {
            thread = null;
            ticking = null;
            return;
        }
        thread = Executors.newSingleThreadScheduledExecutor(ToolThreads.named("perf-ticker"));
        ticking = thread.scheduleAtFixedRate(this::tick, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Begins a measured step.
     *
     * @param counted whether this end counts the messages
     */
    synchronized void begin(int messageSize, PerfWatch watched, boolean counted) {
        counts = counted;
        size = messageSize;
        since = console.nanoTime().getAsLong();
        moved = 0;
        waited = 0;
        watch = watched;
    }

    /** Ends the step. */
    synchronized void end() {
        watch = null;
    }

    private synchronized void tick() {
        PerfWatch watched = watch;
        long now = console.nanoTime().getAsLong();
        if (watched == null || now <= since) {
            return;
        }
        if (!counts) {
            console.note(
                    String.format(Locale.ROOT, "%.1f s: %d bytes, the other end counts", (now - began) / NANOS, size));
            return;
        }
        long all = watched.moved();
        long allWaited = watched.waited();
        long messages = Math.max(0, all - moved);
        double seconds = (now - since) / NANOS;
        double perSecond = messages / seconds;
        Interval interval = new Interval(
                (since - began) / NANOS,
                (now - began) / NANOS,
                size,
                messages,
                perSecond * size / (1 << 20),
                perSecond * size * 8 / 1e9,
                perSecond / 1e6,
                messages == 0 || allWaited == waited
                        ? null
                        : (allWaited - waited) * (settings.test().operation().fetches() ? 1 : 0.5) / messages / 1e3);
        since = now;
        moved = all;
        waited = allWaited;
        if (intervals.size() < MOST) {
            intervals.add(interval);
        }
        console.note(String.format(Locale.ROOT, "%.1f-%.1f s: %d bytes, ", interval.startS(), interval.endS(), size)
                + text(interval));
    }

    private String text(Interval interval) {
        if (settings.test().latency()) {
            Double latency = interval.latencyAvgUs();
            return interval.messages() + " messages"
                    + (latency == null ? "" : String.format(Locale.ROOT, ", %.2f usec on average", latency));
        }
        return String.format(
                Locale.ROOT,
                "%.2f %s, %.6f Mpps",
                settings.report().gbits() ? interval.bwGbps() : interval.bwMibPerS(),
                settings.report().unit(),
                interval.msgRateMpps());
    }

    /** {@return the intervals so far} */
    synchronized List<Interval> intervals() {
        return List.copyOf(intervals);
    }

    @Override
    public void close() {
        if (thread != null && ticking != null) {
            ticking.cancel(false);
            thread.shutdownNow();
        }
    }
}
