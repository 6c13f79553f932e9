package dev.jwarp.transport.udp.congestion;

/**
 * CUBIC (RFC 9438): after a loss the window grows back along a cubic function of time. Growth slows down near the
 * window at which the loss occurred, and speeds up beyond it. The window is never smaller than that of NewReno. Owner
 * thread only; allocates nothing.
 */
public final class Cubic extends LossBased {
    private static final double C = 0.4; // RFC 9438 §5.1
    private static final double BETA = 0.7; // RFC 9438 §4.6
    private static final double ALPHA = 3 * (1 - BETA) / (1 + BETA); // RFC 9438 §4.3
    /**
     * Acknowledged datagrams for one datagram of growth while no loss has shown the path's capacity; the value of
     * Linux.
     */
    private static final int UNKNOWN_DIVISOR = 20;

    private static final double NANOS_A_SECOND = 1e9;
    private static final long NONE = Long.MIN_VALUE;

    // Windows in datagrams, times in nanoseconds; K in seconds.
    private double most;
    private double prior;
    private double estimate;
    private double k;
    private long epoch = NONE;
    private long unusedSince = NONE;

    /** The plateau does not come from a recent loss: it is set to the window at which the epoch begins. */
    private boolean plateauAnew = true;
    /** A loss has occurred, so a plateau was known once. */
    private boolean lossSeen;

    private double mostBefore;
    private double priorBefore;
    private double estimateBefore;
    private double kBefore;
    private long epochBefore = NONE;
    private boolean plateauBefore = true;

    @Override
    long reduced(long before, long flight) {
        lossSeen = true;
        double now = (double) before / datagram();
        // RFC 9438 §4.7, fast convergence: a lower plateau leaves capacity to other flows.
        most = now < most ? now * (1 + BETA) / 2 : now;
        prior = now;
        // RFC 9438 §4.6; in whole datagrams, as TCP counts: half a datagram more is a tenth of a small window.
        return (long) (flight * BETA) / datagram() * datagram();
    }

    @Override
    void avoidanceEnds(boolean byTimeout) {
        epoch = NONE;
        plateauAnew = byTimeout; // RFC 9438 §4.8
    }

    private void begin(double now, long nowNanos) {
        epoch = nowNanos;
        unusedSince = NONE;
        estimate = now;
        if (plateauAnew || most <= now) {
            // RFC 9438 §4.8 and §4.10: no loss has shown the plateau.
            most = now;
            k = 0;
            if (plateauAnew) {
                prior = now;
            }
        } else {
            k = Math.cbrt((most - now) / C); // RFC 9438 §4.2, figure 2
        }
        plateauAnew = false;
    }

    @Override
    void unused(long nowNanos) {
        if (epoch != NONE && unusedSince == NONE) {
            unusedSince = nowNanos;
        }
    }

    @Override
    long grown(long before, AckSample sample) {
        double now = (double) before / datagram();
        double acked = (double) sample.ackedBytes / datagram();
        if (epoch == NONE) {
            begin(now, sample.now);
        } else if (unusedSince != NONE) {
            epoch += sample.now - unusedSince; // RFC 9438 §4.2, §5.8: t excludes time in which the window was not used
            unusedSince = NONE;
        }
        double t = (sample.now - epoch) / NANOS_A_SECOND;
        // RFC 9438 §4.3, figure 4; as fast as NewReno once the estimate is back at the window before the loss.
        estimate += (estimate >= prior ? 1 : ALPHA) * acked / now;
        double next = cubic(t) < estimate ? Math.max(now, estimate) : towards(t, now, acked, sample);
        return (long) ((lossSeen ? next : Math.max(next, now + acked / UNKNOWN_DIVISOR)) * datagram());
    }

    private double towards(double t, double now, double acked, AckSample sample) {
        // RFC 9438 §4.2, §4.4, §4.5: towards the window after the next round trip, at most 1.5 times this one.
        double target = Math.max(now, Math.min(1.5 * now, cubic(t + sample.smoothed / NANOS_A_SECOND)));
        return now + (target - now) / now * Math.min(acked, now);
    }

    /** RFC 9438 §4.2, figure 1. */
    private double cubic(double seconds) {
        double d = seconds - k;
        return C * d * d * d + most;
    }

    @Override
    void save() {
        mostBefore = most;
        priorBefore = prior;
        estimateBefore = estimate;
        kBefore = k;
        epochBefore = epoch;
        plateauBefore = plateauAnew;
    }

    @Override
    void restore() {
        most = mostBefore;
        prior = priorBefore;
        estimate = estimateBefore;
        k = kBefore;
        epoch = epochBefore;
        unusedSince = NONE;
        plateauAnew = plateauBefore;
    }
}
