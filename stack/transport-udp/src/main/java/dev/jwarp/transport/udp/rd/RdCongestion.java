package dev.jwarp.transport.udp.rd;

import java.util.concurrent.TimeUnit;

/**
 * How many datagrams may be under way to a peer (datagram-iWARP §11). Looks at two signs once per round trip: the share p
 * of datagrams that were lost, over whole rounds of together at least 64, and the queueing delay q, the smallest round trip
 * of the round less the least of the last seconds.
 *
 * <ul>
 *   <li>Start: 10, and one more for each datagram acknowledged, until p or q is over its mark.
 *   <li>p over the tolerance (10 %): times 1 - p/2.
 *   <li>Else q over max(1 ms, half the least round trip): times 0.85.
 *   <li>Else, if the window was used up: plus a sixteenth, at least 1.
 *   <li>A third probe in a row: 4. It is never less than 4, nor more than the peer's window.
 * </ul>
 *
 * <p>Why so: the usual rule, to halve at each loss, takes every loss for a full queue. On a path that loses at random it
 * settles near 1/&radic;p datagrams, so that a few percent of loss cost nine tenths of the throughput. Here a real queue
 * shows by its delay before it overflows, and is answered to then; loss by itself is answered to only when there is so much
 * of it that it must be the path's state, and then in proportion, so that the window finds a level instead of falling to the
 * ground. p is taken over at least 64 datagrams because in a small window one loss is a large share: judged round by
 * round, a small window would never grow again. Where other flows share the path with the usual rule, as on the open
 * Internet, set the tolerance to 0: then each round with a loss counts, times 0.7.
 */
final class RdCongestion {
    static final int LEAST = 4;
    private static final int FIRST = 10;
    private static final int ENOUGH = 64;
    private static final long LEAST_MARK = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int NONE = Integer.MAX_VALUE;

    private final int tolerancePercent;
    private int window = FIRST;
    private int sent;
    private int lost;
    private int roundEnd;
    private int roundLeast = NONE;
    private boolean starting = true;
    private boolean usedUp;
    private boolean lostInRound;

    RdCongestion(int tolerancePercent) {
        this.tolerancePercent = tolerancePercent;
    }

    /** {@return how many datagrams may be under way} DG-11.4-1. */
    int window() {
        return window;
    }

    /** A datagram is sent, the first time or again. */
    void onSent() {
        sent++;
    }

    /** A datagram that was sent counts as lost. */
    void onLost() {
        lost++;
        lostInRound = true;
    }

    /** Something has to wait because the window is full. */
    void onUsedUp() {
        usedUp = true;
    }

    /** A round trip was measured. */
    void onRoundTrip(long nanos) {
        roundLeast = (int) Math.min(roundLeast, nanos);
    }

    /** So many datagrams were acknowledged; {@code most} is the peer's window. */
    void onAcked(int datagrams, int most) {
        if (starting && usedUp) {
            window = bounded(window + datagrams, most);
        }
    }

    /** Rounds are counted from here: the serial number of the next transmission. */
    void begin(int nextSerial) {
        roundEnd = nextSerial;
        roundLeast = NONE;
        usedUp = false;
        lostInRound = false;
    }

    /** A transmission was acknowledged; if it is the first of a round, the round before is over and judged. */
    void onSerialAcked(int serial, int nextSerial, long leastRoundTrip, int most) {
        if (serial - roundEnd >= 0) {
            judge(leastRoundTrip, most);
            begin(nextSerial);
        }
    }

    private void judge(long leastRoundTrip, int most) {
        boolean heavy = false;
        double share = 0;
        // datagram-iWARP §11: over whole rounds of together at least 64 datagrams.
        if (sent >= ENOUGH) {
            share = Math.min(1, (double) lost / sent);
            heavy = tolerancePercent > 0 && share * 100 > tolerancePercent;
            sent = 0;
            lost = 0;
        }
        boolean anyLoss = tolerancePercent == 0 && lostInRound;
        long mark = Math.max(LEAST_MARK, leastRoundTrip / 2);
        boolean queue = roundLeast != NONE && roundLeast - leastRoundTrip > mark;
        if (heavy) {
            shrink(1 - share / 2, most);
        } else if (anyLoss) {
            shrink(0.7, most);
        } else if (queue) {
            shrink(0.85, most);
        } else if (!starting && usedUp) {
            window = bounded(window + Math.max(1, window / 16), most);
        }
    }

    private void shrink(double factor, int most) {
        starting = false;
        window = bounded((int) (window * factor), most);
    }

    /** The third probe in a row found no answer. */
    void collapse() {
        starting = false;
        window = LEAST;
    }

    private static int bounded(int value, int most) {
        return Math.max(LEAST, Math.min(value, most));
    }
}
