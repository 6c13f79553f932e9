package dev.jwarp.transport.udp.congestion;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * For paths that lose at random: stands before another control, and keeps from it the loss that is the path's own, up to a tolerance. How much that is, is measured and
 * not believed: what is lost in quiet rounds, in which no queue overflows. So it changes little on a path that loses nothing by itself.
 *
 * <ul>
 *   <li>Quiet rounds are those after a reduction, until the window has grown by a seventh, if their mean round trip shows no queue; and in the first slow start those
 *       that two others follow, as their window was a quarter.
 *   <li>The path's own share is what they lost of what they sent, the older ones with less weight; 0 until they lost four. In the first slow start it is the tolerance.
 *   <li>No share: each loss is passed on.
 *   <li>Else, once a round, it passes on one loss if more than that share and chance explain was lost since the last reduction, or more than the tolerance and chance
 *       explain of the last 64 datagrams or more; or if the least round trip shows a queue, since loss says less here; or if there was no quiet round for 5 s: what was
 *       taken for the path's own may be of a queue meanwhile.
 *   <li>What was sent before a reduction and lost after it counts in the judgement that follows: so one overload may be answered twice, which leaves others beside it more.
 * </ul>
 *
 * <p>Why so: the usual rule, to reduce at each loss, settles near 1/&radic;p datagrams on a path that loses at random, so
 * that a few percent of loss cost nine tenths of the throughput. Others on such a path do reduce: so it is never the default. Owner thread only; allocates nothing.
 */
public final class LossTolerant implements CongestionControl {
    private static final int ENOUGH = 64;
    private static final int LOSSES = 4;
    private static final int MEMORY = 2_000;
    private static final long LEAST_MARK = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long NO_QUIET_ROUND = TimeUnit.SECONDS.toNanos(5);
    private static final double DEVIATIONS = 2;
    private static final long NONE = Long.MAX_VALUE;

    private final LossBased behind;
    private final double tolerance;
    private final LossSample excess = new LossSample();
    private boolean lastPassed;

    // The round. What is lost in it was sent in the one before.
    private int roundEnd;
    private long roundLeast = NONE;
    private long roundTrips;
    private int measured;
    private int sent;
    private int lost;
    private int sentBefore;
    private boolean quietBefore;

    // Whole rounds since the last judgement.
    private int judgedSent;
    private int judgedLost;

    /** What was sent before is not counted. */
    private int counted;

    // The first slow start: its last two rounds, which become quiet ones if it goes on.
    private final int[] startSent = new int[2];
    private final int[] startLost = new int[2];

    // After a reduction.
    private boolean reduced;
    private boolean reducedBeforeRound;
    /** What is acknowledged now was sent before it. */
    private boolean settling;

    // Rounds since the last reduction that are not quiet ones.
    private long loudSent;
    private long loudLost;

    private double quietSent;
    private double quietLost;
    private long lastQuiet;
    /** There was no round to be quiet. */
    private boolean paused = true;

    /**
     * Creates one that knows nothing of its path.
     *
     * @param behind what moves the window
     * @param tolerancePercent the share of lost datagrams that can be the path's own
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

    /** {@return the share of lost datagrams that is taken for the path's own; 0 if each loss counts} */
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

    /** More than that number and chance explain. */
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
