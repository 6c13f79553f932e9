package dev.jwarp.transport.udp.ud;

import dev.jwarp.transport.udp.congestion.AckSample;
import dev.jwarp.transport.udp.congestion.CongestionControl;
import dev.jwarp.transport.udp.congestion.HyStart;
import dev.jwarp.transport.udp.congestion.LossSample;
import dev.jwarp.transport.udp.congestion.Pacer;
import dev.jwarp.transport.udp.congestion.RttEstimator;
import java.util.concurrent.TimeUnit;

/**
 * Congestion control of UD on one path: about once a round trip a PATH-PROBE asks the peer for the number of DATA
 * datagrams received, and missing ones count as lost (datagram-iWARP §6, RFC 8085 §3.1). Datagrams are paced; there is
 * no window, since answers are few. Owner thread only; no call allocates.
 */
final class UdFeedback {
    /** Datagrams, or bytes, to send between two probes. */
    private static final int PROBE_DATAGRAMS = 10;

    private static final int PROBE_BYTES = 15_000;

    private static final long PROBE_LEAST = TimeUnit.MILLISECONDS.toNanos(10); // T_ASK

    /** RFC 8085 §3.1.3. */
    private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(3);

    /** The bytes of a probe on the path. */
    private static final int QUESTION = 92;

    private static final long NEVER = Long.MIN_VALUE;

    /** Unknown bytes in flight: the window only stands for a rate, so recovery refills it at once. */
    private static final long UNKNOWN = 0;
    /** RFC 9002 §7.6: unanswered probes in a row that count as persistent congestion. */
    private static final int PERSISTENT = 3;

    /**
     * Correction of the rate, which exceeds a window for each round trip: here no acknowledgements clock the sender.
     */
    private static final double PACED_TO_CLOCKED = 0.8;

    private static final int USUAL = 1_500;

    private static final double NANOS_A_SECOND = 1e9;

    private final CongestionControl control = CongestionControl.of("cubic", 0);
    private final RttEstimator roundTrips = new RttEstimator();
    private final AckSample acked = new AckSample();
    private final LossSample lost = new LossSample();

    // Datagrams and bytes sent since the beginning.
    private int datagrams;
    private long bytes;

    // The outstanding probe, and the datagrams sent before it.
    private boolean asked;
    private long token;
    private long askedAt = NEVER;
    private int askedDatagrams;
    private long askedBytes;
    private int unanswered;
    private long roundTrip;

    // The last answer, and the datagrams sent before its probe.
    private boolean counted;
    private int told;
    private long toldAt;
    private int toldDatagrams;
    private long toldBytes;
    private int missing;
    private int mostMissing;
    private boolean limited;
    /** No loss or queue has shown the capacity of the path so far. */
    private boolean starting = true;

    UdFeedback() {
        control.begin(USUAL);
    }

    /** A datagram of DATA is sent. */
    void sent(int octets) {
        datagrams++;
        bytes += octets;
        control.onSent(octets);
    }

    /** A datagram has to wait for the pace. */
    void waits() {
        limited = true;
    }

    /** {@return whether a probe is due} {@link #ask} follows. */
    boolean asks(boolean urgently, long nowNanos) {
        if (asked) { // a further probe only after the time-out of the last one
            return urgently || nowNanos - askedAt >= Math.min(LONGEST_WAIT, roundTrips.timeout(unanswered));
        }
        boolean often = askedAt != NEVER && nowNanos - askedAt < Math.max(PROBE_LEAST, roundTrips.smoothed());
        boolean enough = datagrams - askedDatagrams >= PROBE_DATAGRAMS || bytes - askedBytes >= PROBE_BYTES;
        return !often && (urgently || enough);
    }

    /** A PATH-PROBE with that token is sent, behind the last datagram. */
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
     * {@return whether the token is that of the outstanding probe}
     *
     * @param received the number of DATA datagrams received by the peer, modulo 2^32; 0 if the peer does not count
     * @param delay the peer's delay of the answer, nanoseconds
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

    private void judge(int received, long nowNanos) {
        int went = askedDatagrams - toldDatagrams;
        int came = received - told;
        boolean comparable = counted && came >= 0 && went > 0;
        int size = comparable ? (int) ((askedBytes - toldBytes) / went) : 0;
        if (comparable) {
            // The path takes no more than the peer received: without clocking by acknowledgements, a sender may exceed
            // this by far.
            long took =
                    Math.max(1, (long) ((double) came * size / Math.max(1, askedAt - toldAt) * roundTrips.smoothed()));
            // Datagrams that the probe has overtaken are missing in this answer, and surplus in the next one.
            missing += went - came;
            if (missing > mostMissing) {
                // DG-6-11. A lost datagram may have been sent before the rate fell, and then belongs to that episode.
                lose(missing - mostMissing, 0, toldDatagrams, took);
                mostMissing = missing;
            } else if (starting && roundTrip >= roundTrips.least() + HyStart.rise(roundTrips.least())) {
                lose(
                        0,
                        0,
                        toldDatagrams,
                        took); // DG-6-11, RFC 9406: there is a queue; one sample in a round trip must suffice
            }
        } else {
            missing = 0; // the peer has restarted its count
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

    /** {@return whether the last answer had a count: only then is there a rate} */
    boolean counted() {
        return counted;
    }

    /** {@return the sending rate in bytes a second, more than 0} */
    long rate(long nowNanos) {
        // DG-6-11: the rate falls with the present round trip, not only with the average: no full window and no missing
        // answer would stop the sender.
        long now = asked ? Math.max(roundTrip, nowNanos - askedAt) : roundTrip;
        double slower = (double) roundTrips.smoothed() / Math.max(roundTrips.smoothed(), now);
        return Math.max(1, (long) (usual() * slower));
    }

    /** {@return the sending rate in bytes a second at the average round trip} */
    long usual() {
        // In slow start the window doubles each round trip: a higher rate would exceed the path by far before the next
        // answer.
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

    /** {@return the length of a burst at that rate, nanoseconds} */
    long burst(long rate) {
        return Pacer.burst(roundTrips.least(), USUAL, rate);
    }
}
