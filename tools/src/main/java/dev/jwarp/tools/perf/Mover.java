package dev.jwarp.tools.perf;

import dev.jwarp.tools.perf.PerfResult.Side;
import dev.jwarp.tools.traffic.PingPong;
import dev.jwarp.tools.traffic.Pipeline;
import dev.jwarp.tools.traffic.Traffic;
import dev.jwarp.tools.traffic.Traffic.Moved;
import dev.jwarp.tools.traffic.Traffic.Rhythm;
import dev.jwarp.tools.traffic.TrafficEnd;
import dev.jwarp.verbs.QueuePairType;
import org.HdrHistogram.Histogram;

/** Moves the messages of a test, step by step, and measures the costs. One thread. */
final class Mover {
    /**
     * The part of the receive buffer for a datagram: the kernel counts its own data, too, about twice the bytes of a
     * datagram.
     */
    private static final int SHARE_OF_BUFFER = 6;

    private static final int SHORTEST = 256;
    /** Most Write-Records that are not polled yet: half of their log of 1024. */
    private static final int RECORDS = 512;

    private final PerfSettings settings;
    private final TrafficEnd end;
    private final PerfWatch watch;
    private final Traffic traffic;
    private final Meter meter;
    private final boolean fetches;

    /** @param end an end that knows the other end's place */
    Mover(PerfSettings settings, TrafficEnd end, PerfWatch watch) {
        this.settings = settings;
        this.end = end;
        this.watch = watch;
        traffic = settings.test().latency() ? new PingPong(end, watch) : new Pipeline(end, watch);
        meter = new Meter(watch);
        fetches = settings.test().operation().fetches();
    }

    /** Prepares a step, at either end, before the client begins. */
    void prepare(Note.Step step) {
        int size = step.size();
        double gap = settings.load().gapNanos(size);
        traffic.prepare(settings.test().latency() ? Rhythm.oneByOne(size, gap) : rhythm(size, gap));
    }

    private Rhythm rhythm(int size, double gap) {
        PerfSettings.Queues queues = settings.queues();
        boolean datagrams = settings.load().type() != QueuePairType.RC;
        long room = !datagrams
                ? Integer.MAX_VALUE
                : Math.max(1, end.other().receiveBuffer() / SHARE_OF_BUFFER / Math.max(size, SHORTEST));
        int depth = queues.txDepth();
        if (fetches && datagrams) {
            depth = (int) Math.min(room, Math.min(depth, settings.load().outstandingReads()));
        }
        boolean receives = settings.test().operation() == PerfTest.Operation.SEND;
        int window = (int) Math.min(room, receives ? end.other().receives() : datagrams ? RECORDS : Integer.MAX_VALUE);
        // A quarter of the window that the other end computes for itself, so that the other end is notified before its
        // window is full.
        int every = (int) Math.max(1, Math.min(Math.min(room, RECORDS), queues.rxDepth()) / 4);
        return new Rhythm(
                size,
                depth,
                window,
                every,
                gap > 0 ? 1 : Math.min(queues.listOf(size), Math.min(depth, fetches ? depth : window)),
                fetches && datagrams ? 1 : Math.min(queues.moderation(size), depth),
                gap,
                false,
                true);
    }

    /** Runs and measures this end's part of a step, until the step is complete or has to end early. */
    PerfResult run(Note.Step step, long warmUpNanos) {
        meter.begin();
        Moved moved = traffic.run(step.iterations(), step.nanos());
        meter.end();
        PerfResult result = new PerfResult(
                Side.LOCAL,
                step.size(),
                moved.messages(),
                moved.lost(),
                moved.nanos(),
                warmUpNanos,
                Double.NaN,
                Latency.of(latencies(), share()),
                meter.allocated(),
                meter.cpuNanos(),
                watch.stop());
        return settings.report().peak() && !settings.test().latency()
                ? result.peak(Math.max(moved.fastest() * step.size(), result.bytesPerSecond()))
                : result;
    }

    /** Serves the other end until its part of the step is done. */
    void serve() {
        traffic.serve();
        traffic.settle();
    }

    /** Serves the other end once, while this end waits for a note. */
    void idle() {
        traffic.idle();
    }

    /** {@return whether an end that only serves knows how many messages move} */
    boolean counts() {
        return traffic.counts();
    }

    /** {@return messages of the other end that arrived whole, in all steps} */
    long taken() {
        return traffic.taken();
    }

    /** {@return the latencies of the last step} */
    Histogram latencies() {
        return traffic.latencies();
    }

    /** {@return the factor for each latency: half of the round trip for ping-pong tests, otherwise 1} */
    double share() {
        return settings.test().latency() && !fetches ? 0.5 : 1;
    }
}
