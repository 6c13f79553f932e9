package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/**
 * HyStart++ (RFC 9406): leaves slow start when round trips grow, by way of a conservative slow start that can be left again
 * if they shrink, and is over if they grow on. A round ends when something that was sent after its beginning is acknowledged.
 * Owner thread only.
 */
final class HyStart {
    // RFC 9406 §4.3, but for 4 ms: without bursts of our own in the queue less is a sign.
    private static final long LEAST_RISE = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MOST_RISE = TimeUnit.MILLISECONDS.toNanos(16);
    private static final int RISE_DIVISOR = 8;
    private static final int SAMPLES = 8;
    private static final int GROWTH_DIVISOR = 4;
    private static final int ROUNDS = 5;

    private static final long NONE = Long.MAX_VALUE;

    private int roundEnd;
    private long least = NONE;
    private long leastBefore = NONE;
    private int samples;
    /** The least of those samples. */
    private long recent = NONE;

    private boolean conservative;
    private long baseline = NONE;
    private int rounds;
    private boolean finished;

    /** Serial numbers begin anew: a round begins. */
    void begin() {
        roundEnd = 0;
        least = NONE;
        leastBefore = NONE;
        recent = NONE;
        samples = 0;
        conservative = false;
        rounds = 0;
        finished = false;
    }

    /** {@return whether slow start is over} */
    boolean finished() {
        return finished;
    }

    /** {@return whether it looks for proof that round trips do grow} */
    boolean conservative() {
        return conservative;
    }

    /** {@return bytes by which the window grows with this acknowledgement} */
    long growth(AckSample sample) {
        if (sample.newestSerial - roundEnd >= 0) {
            endRound(sample);
        }
        if (sample.roundTrip != AckSample.NO_ROUND_TRIP) {
            least = Math.min(least, sample.roundTrip);
            recent = Math.min(recent, sample.roundTrip);
            if (++samples == SAMPLES) {
                judge();
                samples = 0;
                recent = NONE;
            }
        }
        // RFC 9406 §4.2: N, as those who pace have L = infinity (§4.3); a quarter of it in conservative slow start.
        return conservative ? sample.ackedBytes / GROWTH_DIVISOR : sample.ackedBytes;
    }

    private void endRound(AckSample sample) {
        leastBefore = least;
        least = NONE;
        recent = NONE;
        samples = 0;
        roundEnd = sample.nextSerial;
        if (conservative && ++rounds >= ROUNDS) {
            finished = true; // RFC 9406 §4.2: the rounds of conservative slow start are complete
        }
    }

    /**
     * RFC 9406 §4.2, of eight samples each. It has the least of the round so far, which are the first ones as a rule: a sender that
     * does not pace fills the queue at the beginning of a round. One that paces does so all the time.
     */
    private void judge() {
        if (conservative) {
            if (recent < baseline) { // RFC 9406 §4.2: the exit was spurious
                conservative = false;
            } else if (recent >= baseline + rise(baseline)) {
                finished = true; // it is no jitter: five rounds would make the window three times as large
            }
        } else if (leastBefore != NONE && recent >= leastBefore + rise(leastBefore)) {
            conservative = true;
            baseline = recent;
            rounds = 0;
        }
    }

    private static long rise(long roundTrip) {
        return Math.max(LEAST_RISE, Math.min(roundTrip / RISE_DIVISOR, MOST_RISE));
    }
}
