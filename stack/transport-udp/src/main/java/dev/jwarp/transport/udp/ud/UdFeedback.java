package dev.jwarp.transport.udp.ud;

import dev.jwarp.transport.udp.congestion.AckSample;
import dev.jwarp.transport.udp.congestion.CongestionControl;
import dev.jwarp.transport.udp.congestion.LossSample;
import dev.jwarp.transport.udp.congestion.Pacer;
import dev.jwarp.transport.udp.congestion.RttEstimator;
import java.util.concurrent.TimeUnit;

/**
 * Congestion control of UD on one path: about once a round trip the peer is asked by a PATH-PROBE how much DATA has come, and
 * what is missing counts as lost (datagram-iWARP §6, RFC 8085 §3.1). What is sent is paced; there is no window, as answers are
 * few. Owner thread only; no call allocates.
 */
final class UdFeedback {
    /** Datagrams, or bytes, that must have been sent before one more datagram asks. */
    private static final int PROBE_DATAGRAMS = 10;

    private static final int PROBE_BYTES = 15_000;

    private static final long PROBE_LEAST = TimeUnit.MILLISECONDS.toNanos(10);

    /** RFC 8085 §3.1.3. */
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(3);

    /** Bytes of a question on the path. */
    private static final int QUESTION = 92;

    private static final long NEVER = Long.MIN_VALUE;

    /** Of bytes under way: the window stands for a rate only, so the control is to fill it up at once when it recovers. */
    private static final long UNKNOWN = 0;
    /** RFC 9002 §7.6: so many questions in a row without an answer. */
    private static final int PERSISTENT = 3;

    /** A control paces faster than its window in a round trip, as acknowledgements clock it: here they do not. */
    private static final double PACED_TO_CLOCKED = 0.8;

    private static final int USUAL = 1_500;

    private static final double NANOS_A_SECOND = 1e9;
    private static final long LEAST_RISE = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long MOST_RISE = TimeUnit.MILLISECONDS.toNanos(16);
    private static final int RISE_DIVISOR = 8;

    private final CongestionControl control = CongestionControl.of("cubic", 0);
    private final RttEstimator roundTrips = new RttEstimator();
    private final AckSample acked = new AckSample();
    private final LossSample lost = new LossSample();

    // What has been sent, since the beginning.
    private int datagrams;
    private long bytes;

    // The question that is out, and what had been sent before it.
    private boolean asked;
    private long token;
    private long askedAt = NEVER;
    private int askedDatagrams;
    private long askedBytes;
    private int unanswered;
    private long roundTrip;

    // What the last answer said, of what had been sent by then.
    private boolean counted;
    private int told;
    private long toldAt;
    private int toldDatagrams;
    private long toldBytes;
    private int missing;
    private int mostMissing;
    private boolean limited;
    /** Nothing has told yet how much the path takes. */
    private boolean starting = true;

    UdFeedback() {
        control.begin(USUAL);
    }

    /** A datagram of DATA leaves. */
    void sent(int octets) {
        datagrams++;
        bytes += octets;
        control.onSent(octets);
    }

    /** What there is to send has to wait for the pace. */
    void waits() {
        limited = true;
    }

    /** {@return whether it is time to ask} {@link #ask} follows. */
    boolean asks(boolean urgently, long nowNanos) {
        if (asked) { // again only when no answer can be expected any more
            return urgently || nowNanos - askedAt >= Math.min(LONGEST_WAIT, roundTrips.timeout(unanswered));
        }
        boolean often = askedAt != NEVER && nowNanos - askedAt < Math.max(PROBE_LEAST, roundTrips.smoothed());
        boolean enough = datagrams - askedDatagrams >= PROBE_DATAGRAMS || bytes - askedBytes >= PROBE_BYTES;
        return !often && (urgently || enough);
    }

    /** A PATH-PROBE with that token leaves, behind the datagram sent last. */
    void ask(long newToken, long nowNanos) {
        if (asked) {
            noAnswer();
        }
        asked = true;
        token = newToken;
        askedAt = nowNanos;
        askedDatagrams = datagrams;
        askedBytes = bytes;
    }

    private void noAnswer() {
        unanswered++;
        if (!counted) {
            return;
        }
        if (unanswered == 1) {
            lose(1, QUESTION, toldDatagrams, UNKNOWN);
        } else if (unanswered == PERSISTENT) {
            control.onPersistentLoss(datagrams);
        }
    }

    private void lose(int count, long octets, int newest, long flight) {
        starting = false;
        lost.datagrams = count;
        lost.bytes = octets;
        lost.inFlight = flight;
        lost.newestSerial = newest;
        lost.nextSerial = datagrams;
        control.onLost(lost);
    }

    /**
     * {@return whether that is an answer to the last question}
     *
     * @param received how much DATA has come, modulo 2^32; 0 if the peer does not count
     * @param delay how long the peer took to answer, nanoseconds
     */
    boolean answered(long itsToken, int received, long delay, long nowNanos) {
        if (!asked || itsToken != token) {
            return false;
        }
        asked = false;
        unanswered = 0;
        roundTrip = Math.max(1, nowNanos - askedAt - delay);
        roundTrips.sample(roundTrip, nowNanos);
        if (received != 0) {
            judge(received, nowNanos);
            told = received;
            toldAt = askedAt;
            toldDatagrams = askedDatagrams;
            toldBytes = askedBytes;
        }
        counted = received != 0;
        return true;
    }

    /** {@return by how much a round trip is longer than the least if there is a queue} RFC 9406 §4.3, as in a channel. */
    private static long rise(long least) {
        return Math.max(LEAST_RISE, Math.min(least / RISE_DIVISOR, MOST_RISE));
    }

    private void judge(int received, long nowNanos) {
        int went = askedDatagrams - toldDatagrams;
        int came = received - told;
        boolean comparable = counted && came >= 0 && went > 0;
        int size = comparable ? (int) ((askedBytes - toldBytes) / went) : 0;
        if (comparable) {
            // The path takes no more than came: without acknowledgements that clock it, a sender may be far beyond
            // that.
            long took =
                    Math.max(1, (long) ((double) came * size / Math.max(1, askedAt - toldAt) * roundTrips.smoothed()));
            // What the question has overtaken is missing now, and too much the next time.
            missing += went - came;
            if (missing > mostMissing) {
                // DG-6-11. Any of them may have been sent before the rate fell, and is of that episode then.
                lose(missing - mostMissing, 0, toldDatagrams, took);
                mostMissing = missing;
            } else if (starting && roundTrip >= roundTrips.least() + rise(roundTrips.least())) {
                lose(
                        0,
                        0,
                        toldDatagrams,
                        took); // DG-6-29, RFC 9406: there is a queue; one sample in a round trip has to do
            }
        } else {
            missing = 0; // the peer has begun anew to count
            mostMissing = 0;
        }
        acked.now = nowNanos;
        acked.ackedBytes = (long) Math.min(came, went) * size;
        acked.inFlight = UNKNOWN;
        acked.roundTrip = roundTrip;
        acked.smoothed = roundTrips.smoothed();
        acked.least = roundTrips.least();
        acked.newestSerial = askedDatagrams - 1;
        acked.nextSerial = datagrams;
        acked.windowLimited = limited;
        limited = false;
        control.onAcked(acked);
    }

    /** {@return whether the last answer told how much DATA has come: only then is there a rate} */
    boolean counted() {
        return counted;
    }

    /** {@return bytes a second that may leave, more than 0} */
    long rate(long nowNanos) {
        // DG-6-28: the round trip now, not only on average: neither a window that is not full nor a late answer keeps
        // anything back.
        long now = asked ? Math.max(roundTrip, nowNanos - askedAt) : roundTrip;
        double slower = (double) roundTrips.smoothed() / Math.max(roundTrips.smoothed(), now);
        return Math.max(1, (long) (usual() * slower));
    }

    /** {@return bytes a second while answers are as late as on average} */
    long usual() {
        // At first the window doubles in a round trip: a rate that is ahead of it would be far beyond the path by the
        // next answer.
        double usual = starting
                ? control.window() * NANOS_A_SECOND / roundTrips.smoothed()
                : control.rate() * PACED_TO_CLOCKED;
        return (long) usual;
    }

    /** {@return the window from which the rate follows, bytes} */
    long window() {
        return control.window();
    }

    /** {@return the smoothed round trip, nanoseconds; 0 while none is known} */
    long smoothed() {
        return roundTrips.smoothed();
    }

    /** {@return how much time a burst may be ahead at that rate, nanoseconds} */
    long burst(long rate) {
        return Pacer.burst(roundTrips.least(), USUAL, rate);
    }
}
