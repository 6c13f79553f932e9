package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/**
 * HyStart++ (RFC 9406): when round trips grow, slow start becomes conservative slow start. If round trips then shrink,
 * slow start continues; if they keep growing, slow start ends. A round ends when a datagram that was sent after the
 * round's beginning is acknowledged. Owner thread only.
 */
public final class HyStart {
    // RFC 9406 §4.3, except that it has 4 ms: a paced sender has no bursts in the queue, so a smaller rise is a sign.
    private static final long LEAST_RISE = TimeUnit.MILLISECONDS.toNanos(2); // T_RISE
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
    /** The least round trip of those samples. */
    private long recent = NONE;

    private boolean conservative;
    private long baseline = NONE;
    private int rounds;
    private boolean finished;

    /** Serial numbers begin at 0 again: a round begins. */
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

    /** {@return whether this is conservative slow start, which confirms that round trips keep growing} */
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
        // RFC 9406 §4.2: N, since a paced sender has L = infinity (§4.3); a quarter of N in conservative slow start.
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
     * RFC 9406 §4.2, for each eight samples. The RFC takes the least round trip of the round so far, which is usually
     * among the first: a sender without pacing fills the queue at the beginning of a round. A paced sender fills the
     * queue throughout the round.
     */
    private void judge() {
        if (conservative) {
            if (recent < baseline) { // RFC 9406 §4.2: the exit was spurious
                conservative = false;
            } else if (recent >= baseline + rise(baseline)) {
                finished = true; // not jitter; five more rounds would triple the window
            }
        } else if (leastBefore != NONE && recent >= leastBefore + rise(leastBefore)) {
            conservative = true;
            baseline = recent;
            rounds = 0;
        }
    }

    /** {@return the rise of a round trip above the least one that shows a queue} RFC 9406 §4.3. */
    public static long rise(long roundTrip) {
        return Math.max(LEAST_RISE, Math.min(roundTrip / RISE_DIVISOR, MOST_RISE));
    }
}
