package dev.jwarp.transport.udp.congestion;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Congestion control for paths that lose at random: wraps another congestion control and hides random loss from it, up
 * to a tolerance. Random loss is measured, not assumed: it is the loss in quiet rounds, in which no queue overflows. So
 * this class changes little on a path without random loss.
 *
 * <ul>
 *   <li>Quiet rounds are the rounds after a reduction until the window has grown by a seventh, if their mean round trip
 *       shows no queue. In the first slow start, a round is quiet if two further rounds of slow start follow, since its
 *       window was a quarter of theirs.
 *   <li>The share of random loss is the share of datagrams that quiet rounds lost, older rounds with less weight; 0
 *       until they have lost four. In the first slow start the share is the tolerance.
 *   <li>While the share is 0, each loss is passed on.
 *   <li>Otherwise one loss is passed on at the end of a round if one of these holds: since the last reduction more was
 *       lost than the share and chance explain; of the last 64 datagrams or more, more was lost than the tolerance and
 *       chance explain; the least round trip shows a queue, since loss is a weaker sign on such a path; or there was no
 *       quiet round for 5 s, since the share may by now include loss of a full queue.
 *   <li>Datagrams that were sent before a reduction and lost after it count in the next decision: so one overload may
 *       reduce the window twice, which favours competing flows.
 * </ul>
 *
 * <p>The reason: a congestion control that reduces at each loss settles near 1/&radic;p datagrams on a path that loses
 * at random, so that a few percent of loss cost nine tenths of the throughput. Competing flows on such a path do
 * reduce: so this class is never the default. Owner thread only; allocates nothing.
 */
public final class LossTolerant implements CongestionControl {
    private static final int ENOUGH = 64;
    private static final int LOSSES = 4;
    private static final int MEMORY = 2_000;
    private static final long LEAST_MARK = TimeUnit.MILLISECONDS.toNanos(1); // T_QUEUE
    private static final long NO_QUIET_ROUND = TimeUnit.SECONDS.toNanos(5); // T_STALE
    private static final double DEVIATIONS = 2;
    private static final long NONE = Long.MAX_VALUE;

    private final LossBased behind;
    private final double tolerance;
    private final LossSample excess = new LossSample();
    private boolean lastPassed;

    // The round. Datagrams lost in a round were sent in the round before.
    private int roundEnd;
    private long roundLeast = NONE;
    private long roundTrips;
    private int measured;
    private int sent;
    private int lost;
    private int sentBefore;
    private boolean quietBefore;

    // Whole rounds since the last decision.
    private int judgedSent;
    private int judgedLost;

    /** Transmissions before this serial number are not counted. */
    private int counted;

    // The last two rounds of the first slow start: they count as quiet if slow start continues.
    private final int[] startSent = new int[2];
    private final int[] startLost = new int[2];

    // After a reduction.
    private boolean reduced;
    private boolean reducedBeforeRound;
    /** Datagrams acknowledged in this round were sent before the reduction. */
    private boolean settling;

    // Rounds since the last reduction that are not quiet.
    private long loudSent;
    private long loudLost;

    private double quietSent;
    private double quietLost;
    private long lastQuiet;
    /** There was a pause: the time without a quiet round starts anew with the next round. */
    private boolean paused = true;

    /**
     * Creates a congestion control without knowledge of its path.
     *
     * @param behind the congestion control that moves the window
     * @param tolerancePercent the largest share of lost datagrams that can count as random
     */
    LossTolerant(LossBased behind, int tolerancePercent) {
        this.behind = behind;
        this.tolerance = tolerancePercent / 100.0;
    }

    @Override
    public void begin(int datagram) {
        behind.begin(datagram);
        forgetRounds(0);
    }

    private void forgetRounds(int nextSerial) {
        counted = nextSerial;
        paused = true;
        settling = false;
        loudSent = 0;
        loudLost = 0;
        sent = 0;
        lost = 0;
        newRound(nextSerial, false);
        judgedSent = 0;
        judgedLost = 0;
        reduced = false;
        Arrays.fill(startSent, 0);
        Arrays.fill(startLost, 0);
    }

    private void newRound(int nextSerial, boolean quiet) {
        roundEnd = nextSerial;
        roundLeast = NONE;
        roundTrips = 0;
        measured = 0;
        sentBefore = sent;
        quietBefore = quiet;
        sent = 0;
        lost = 0;
        reducedBeforeRound = reduced;
    }

    /** {@return the share of lost datagrams that counts as random; 0 if each loss counts as congestion} */
    private double own() {
        if (behind.inFirstSlowStart()) {
            return tolerance;
        }
        return quietSent >= ENOUGH && quietLost >= LOSSES ? Math.min(tolerance, quietLost / quietSent) : 0;
    }

    @Override
    public void onSent(int bytes) {
        sent++;
        behind.onSent(bytes);
    }

    @Override
    public void onLost(LossSample sample) {
        if (sample.newestSerial - counted >= 0) {
            lost += sample.datagrams;
        }
        lastPassed = own() == 0;
        if (lastPassed) {
            pass(sample);
        }
    }

    private void pass(LossSample sample) {
        if (!behind.answers(sample)) {
            return;
        }
        behind.onLost(sample);
        reduced = true;
        settling = true;
        loudSent = 0;
        loudLost = 0;
    }

    @Override
    public void onAcked(AckSample sample) {
        if (sample.roundTrip != AckSample.NO_ROUND_TRIP) {
            roundLeast = Math.min(roundLeast, sample.roundTrip);
            roundTrips += sample.roundTrip;
            measured++;
        }
        behind.onAcked(sample);
        if (sample.newestSerial - roundEnd >= 0) {
            count(sample);
            if (settling) {
                settling = false;
            } else {
                judge(sample);
            }
            reduced &= behind.small();
            newRound(sample.nextSerial, reduced && reducedBeforeRound);
        }
    }

    private void count(AckSample sample) {
        if (paused) {
            paused = false;
            lastQuiet = sample.now;
        }
        judgedSent += sentBefore;
        judgedLost += lost;
        if (!quietBefore) {
            loudSent += sentBefore;
            loudLost += lost;
        } else if (measured > 0 && roundTrips / measured - sample.least <= Math.max(LEAST_MARK, sample.least / 8)) {
            quiet(sentBefore, lost, sample.now);
        }
        if (behind.inFirstSlowStart()) {
            quiet(startSent[1], startLost[1], sample.now);
            startSent[1] = startSent[0];
            startLost[1] = startLost[0];
            startSent[0] = sentBefore;
            startLost[0] = lost;
        }
    }

    private void quiet(int ofSent, int ofLost, long now) {
        if (quietSent >= MEMORY) {
            quietSent /= 2;
            quietLost /= 2;
        }
        quietSent += ofSent;
        quietLost += ofLost;
        lastQuiet = now;
    }

    private void judge(AckSample sample) {
        double own = own();
        boolean enough = judgedSent >= ENOUGH;
        boolean tooMuch = exceeds(loudLost, own * loudSent) || (enough && exceeds(judgedLost, tolerance * judgedSent));
        boolean queue = roundLeast != NONE && roundLeast - sample.least > Math.max(LEAST_MARK, sample.least / 2);
        boolean doubtful = !behind.inFirstSlowStart() && sample.now - lastQuiet > NO_QUIET_ROUND;
        if (own > 0 && (tooMuch || queue || doubtful)) {
            excess.inFlight = sample.inFlight;
            excess.acked = sample.ackedBytes;
            excess.windowLimited = sample.windowLimited;
            excess.newestSerial = sample.newestSerial;
            excess.nextSerial = sample.nextSerial;
            lastPassed = false;
            pass(excess);
            lastQuiet = sample.now;
        }
        if (enough) {
            judgedSent = 0;
            judgedLost = 0;
        }
    }

    /** Whether the number of losses is larger than the usual number and chance explain. */
    private static boolean exceeds(long lost, double usual) {
        return lost > usual + DEVIATIONS * Math.sqrt(usual) + 1;
    }

    @Override
    public void onPersistentLoss(int nextSerial) {
        behind.onPersistentLoss(nextSerial);
        forgetRounds(nextSerial);
    }

    @Override
    public void onPathReturned() {
        behind.onPathReturned();
    }

    @Override
    public void onNeedlessRepeat() {
        if (lastPassed) {
            behind.onNeedlessRepeat();
        }
    }

    @Override
    public void onIdle(int timeouts) {
        paused = true;
        behind.onIdle(timeouts);
    }

    @Override
    public long window() {
        return behind.window();
    }

    @Override
    public long rate() {
        return behind.rate();
    }
}
