package dev.jwarp.tools.perf;

import dev.jwarp.tools.cli.Console;
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
 * A line on standard error every so often, while a step is measured; on a thread of its own, so that the measured one has
 * nothing to do with it. Keeps what it told, up to a limit.
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
    private @Nullable Watch watch;
    private boolean counts;
    private int size;
    private long since;
    private long moved;

    /**
     * What was moved in an interval, for JSON.
     *
     * @param startS seconds since the run began
     * @param endS seconds since the run began
     */
    record Interval(
            double startS,
            double endS,
            int msgSizeBytes,
            long messages,
            double bwMibPerS,
            double bwGbps,
            double msgRateMpps) {}

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
        thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "perf-ticker");
            made.setDaemon(true);
            return made;
        });
        ticking = thread.scheduleAtFixedRate(this::tick, every.toNanos(), every.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * A measured step begins.
     *
     * @param counted whether this end knows how many messages move
     */
    synchronized void begin(int messageSize, Watch watched, boolean counted) {
        counts = counted;
        size = messageSize;
        since = console.nanoTime().getAsLong();
        moved = 0;
        watch = watched;
    }

    /** It has ended. */
    synchronized void end() {
        watch = null;
    }

    private synchronized void tick() {
        Watch watched = watch;
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
        double seconds = (now - since) / NANOS;
        double perSecond = Math.max(0, all - moved) / seconds;
        Interval interval = new Interval(
                (since - began) / NANOS,
                (now - began) / NANOS,
                size,
                Math.max(0, all - moved),
                perSecond * size / (1 << 20),
                perSecond * size * 8 / 1e9,
                perSecond / 1e6);
        since = now;
        moved = all;
        if (intervals.size() < MOST) {
            intervals.add(interval);
        }
        console.note(String.format(
                Locale.ROOT,
                "%.1f-%.1f s: %d bytes, %.2f %s, %.6f Mpps",
                interval.startS(),
                interval.endS(),
                size,
                settings.report().gbits() ? interval.bwGbps() : interval.bwMibPerS(),
                settings.report().unit(),
                interval.msgRateMpps()));
    }

    /** {@return what it told so far} */
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
