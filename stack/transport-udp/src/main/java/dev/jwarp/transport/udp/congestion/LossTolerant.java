package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/**
 * For paths known to lose at random, and not shared with others: a lost datagram is not taken for a full queue. Looks at two
 * signs once per round trip: the share p of datagrams that were lost, over whole rounds of together at least 64, and the
 * queueing delay q, the smallest round trip of the round less the least of the last seconds.
 *
 * <ul>
 *   <li>Start: as long as p and q are below their marks, one datagram more for each acknowledged.
 *   <li>p over the tolerance: times 1 - p/2.
 *   <li>Else q over max(1 ms, half the least round trip): times 0.85.
 *   <li>Else, if the window was used up: plus a sixteenth, at least one datagram.
 *   <li>Nothing acknowledged for several time-outs: 4 datagrams. It is never less than 4.
 * </ul>
 *
 * <p>Why so: the usual rule, to reduce at each loss, settles near 1/&radic;p datagrams on a path that loses at random, so
 * that a few percent of loss cost nine tenths of the throughput. Here a real queue shows by its delay before it overflows,
 * and is answered to then; loss by itself is answered to only when there is so much of it that it must be the path's state,
 * and then in proportion. Beside flows with the usual rule it takes more than its share where queues are short: so it is
 * never the default. Owner thread only; allocates nothing.
 */
public final class LossTolerant implements CongestionControl {
    private static final int LEAST = 4;
    private static final int ENOUGH = 64;
    private static final long LEAST_MARK = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NONE = Long.MAX_VALUE;
    private static final double GAIN = 1.25;
    private static final double NANOS_A_SECOND = 1e9;

    private final int tolerancePercent;
    private int datagram;
    private long window;
    private long smoothed;
    private int sent;
    private int lost;
    private int roundEnd;
    private long roundLeast = NONE;
    private boolean starting = true;
    private boolean usedUp;

    /**
     * Creates one that knows nothing of its path.
     *
     * @param tolerancePercent the share of lost datagrams that is the path's own
     */
    public LossTolerant(int tolerancePercent) {
        this.tolerancePercent = tolerancePercent;
    }

    @Override
    public void begin(int largest) {
        if (window == 0) {
            window = CongestionControl.first(largest);
        }
        datagram = largest;
        window = bounded(window);
        newRound(0);
    }

    private void newRound(int nextSerial) {
        roundEnd = nextSerial;
        roundLeast = NONE;
        usedUp = false;
    }

    @Override
    public void onSent(int bytes) {
        sent++;
    }

    @Override
    public void onLost(LossSample sample) {
        lost += sample.datagrams;
    }

    @Override
    public void onAcked(AckSample sample) {
        smoothed = sample.smoothed;
        usedUp |= sample.windowLimited;
        if (sample.roundTrip != AckSample.NO_ROUND_TRIP) {
            roundLeast = Math.min(roundLeast, sample.roundTrip);
        }
        if (starting && sample.windowLimited) {
            window += sample.ackedBytes;
        }
        if (sample.newestSerial - roundEnd >= 0) {
            judge(sample.least);
            newRound(sample.nextSerial);
        }
    }

    private void judge(long least) {
        boolean heavy = false;
        double share = 0;
        if (sent >= ENOUGH) {
            share = Math.min(1, (double) lost / sent);
            heavy = share * 100 > tolerancePercent;
            sent = 0;
            lost = 0;
        }
        long mark = Math.max(LEAST_MARK, least / 2);
        boolean queue = roundLeast != NONE && roundLeast - least > mark;
        if (heavy) {
            shrink(1 - share / 2);
        } else if (queue) {
            shrink(0.85);
        } else if (!starting && usedUp) {
            window += Math.max(datagram, window / 16);
        }
    }

    private void shrink(double factor) {
        starting = false;
        window = bounded((long) (window * factor));
    }

    private long bounded(long value) {
        return Math.max((long) LEAST * datagram, value);
    }

    @Override
    public void onPersistentLoss(int nextSerial) {
        starting = false;
        window = bounded(0);
    }

    @Override
    public void onPathReturned() {
        window = Math.max(window, CongestionControl.first(datagram));
    }

    /** It does not answer to single losses, so there is nothing to undo. */
    @Override
    public void onNeedlessRepeat() {}

    @Override
    public void onIdle(int timeouts) {
        window = Math.max(
                Math.min(window, CongestionControl.first(datagram)), bounded(window >> Math.min(timeouts, 32)));
    }

    @Override
    public long window() {
        return window;
    }

    @Override
    public long rate() {
        return smoothed == 0 ? 0 : (long) ((starting ? 2 : GAIN) * window * NANOS_A_SECOND / smoothed);
    }
}
