package dev.jwarp.transport.udp.ud;

import dev.jwarp.llp.datagram.PathControl;
import dev.jwarp.transport.udp.congestion.Pacer;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.RdAckBody;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The rate of UD to one address and port, and a circuit breaker (datagram-iWARP §6, RFC 8085 §3.1). For a peer that
 * sends feedback, congestion control finds the rate ({@link UdFeedback}). Other peers get some datagrams at once, then
 * a low rate. If a peer is silent, the circuit breaker (RFC 8084) opens, and only a trickle is sent until a datagram of
 * the peer closes it. Owner thread only; allocates only the feedback of a path.
 */
final class UdPath implements PathControl {
    /** The origin of the rate. */
    enum Limit {
        /** The program or the settings set the rate: it does not change. */
        SET,
        /** The rate holds while the peer sends no feedback; the circuit breaker opens for a silent peer. */
        UNHEARD,
        /** The rate of a group, which sends no feedback and has no circuit breaker. */
        GROUP
    }

    /** The path without a limit, shared by all peers that need no pace. */
    static final UdPath UNLIMITED = new UdPath(0, Limit.SET);

    /** The burst while there is no feedback (RFC 6928 §2): so many datagrams, but at most so many bytes. */
    private static final int AT_ONCE = 10;

    private static final int AT_ONCE_BYTES = 15_000;

    /** A peer is silent if no datagram has come from it for this time, */
    private static final long SILENCE = TimeUnit.SECONDS.toNanos(10); // T_SILENT

    /** and at least so many datagrams were sent to it meanwhile. */
    private static final int SILENT_DATAGRAMS = 100;

    /** RFC 8085 §3.1.3: the time between two datagrams to a silent peer. */
    private static final long TRICKLE = TimeUnit.SECONDS.toNanos(3); // T_TRICKLE

    /** The least number of datagrams a second at a low rate. */
    private static final int DATAGRAMS_A_SECOND = 20;

    /** The least length of a datagram of a longer message: the shortest segment, and headers. */
    private static final int SHORT = 320;

    private static final long NEVER = Long.MIN_VALUE;
    private static final double NANOS_A_SECOND = 1e9;

    private final long rate;
    private final Limit limit;
    private final Pacer pacer = new Pacer();
    private boolean forgotten;
    private long heardAt = NEVER;
    private long sentAt = NEVER;
    private long silentSince = NEVER;
    private int unanswered;
    private boolean broken;

    /** Allocated at the first datagram to a peer that can be probed. */
    private @Nullable UdFeedback feedback;

    /**
     * Creates a path without datagrams so far.
     *
     * @param rate the rate in bytes of UDP payload a second; 0 for no limit
     */
    UdPath(long rate, Limit limit) {
        this.rate = rate;
        this.limit = limit;
    }

    /** {@return whether this path has no limit} */
    boolean unlimited() {
        return rate == 0;
    }

    /**
     * {@return the largest datagram for this path, bytes of UDP payload} A receiver gives up a message after 100 ms
     * without a datagram of it: at a low rate datagrams are short enough to come more often.
     *
     * @param most the largest datagram that the network path takes
     */
    int longest(int most) {
        return unlimited() ? most : (int) Math.min(most, Math.max(SHORT, rate / DATAGRAMS_A_SECOND));
    }

    @Override
    public long congestionWindow() {
        UdFeedback tells = counting();
        return tells == null ? 0 : tells.window();
    }

    @Override
    public long congestionRate() {
        UdFeedback tells = counting();
        return tells == null ? rate : tells.usual();
    }

    @Override
    public long smoothedRoundTrip() {
        UdFeedback tells = counting();
        return tells == null ? 0 : tells.smoothed();
    }

    private @Nullable UdFeedback counting() {
        UdFeedback tells = feedback;
        return tells != null && tells.counted() ? tells : null;
    }

    /** The path was evicted from the table, so it is no longer notified of datagrams received. */
    void forget() {
        forgotten = true;
    }

    boolean forgotten() {
        return forgotten;
    }

    /** {@return whether the circuit breaker is open} */
    boolean broken() {
        return broken;
    }

    /** {@return the time at which the next datagram may leave; a time in the past if now} */
    long admittedAt(long nowNanos) {
        if (broken) { // DG-6-6
            return sentAt + TRICKLE;
        }
        return unlimited() ? NEVER : pacer.admittedAt();
    }

    /** {@return the sending rate in bytes a second now} */
    private long rate(long nowNanos) {
        UdFeedback tells = telling(nowNanos);
        return tells == null ? rate : tells.rate(nowNanos);
    }

    /** {@return the feedback of a peer that is not silent; null if there is none} datagram-iWARP §6.2 (DG-6-6). */
    private @Nullable UdFeedback telling(long nowNanos) {
        UdFeedback tells = feedback;
        return tells != null && tells.counted() && heardLately(nowNanos) ? tells : null;
    }

    /** A datagram has to wait for the pace. */
    void waits() {
        if (feedback != null) {
            feedback.waits();
        }
    }

    private boolean heardLately(long nowNanos) {
        return limit == Limit.UNHEARD && heardAt != NEVER && nowNanos - heardAt < SILENCE;
    }

    /** {@return whether the circuit breaker opens with this datagram of {@code bytes}, which is sent} */
    boolean sent(int bytes, long nowNanos) {
        sentAt = nowNanos;
        if (limit == Limit.UNHEARD) {
            if (feedback == null) {
                feedback = new UdFeedback();
            }
            feedback.sent(bytes);
        }
        long now = rate(nowNanos);
        // datagram-iWARP §6.2 (DG-6-1, DG-6-6)
        pacer.sent(bytes, now, burst(bytes, now, nowNanos), nowNanos);
        if (limit != Limit.UNHEARD) {
            return false;
        }
        if (unanswered == 0) {
            silentSince = nowNanos;
        }
        unanswered++;
        boolean opens = !broken && unanswered >= SILENT_DATAGRAMS && nowNanos - silentSince >= SILENCE;
        broken |= opens;
        return opens;
    }

    private long burst(int bytes, long now, long nowNanos) {
        if (limit == Limit.SET) {
            return Pacer.BURST_NANOS;
        }
        UdFeedback tells = telling(nowNanos);
        if (tells != null) {
            return tells.burst(now);
        }
        return (long) (Math.min(AT_ONCE * bytes, AT_ONCE_BYTES) * NANOS_A_SECOND / now);
    }

    /** {@return whether a PATH-PROBE for feedback is due; {@link #ask} follows} */
    boolean asks(long nowNanos) {
        return feedback != null && feedback.asks(broken, nowNanos);
    }

    /** A PATH-PROBE with that token is sent. */
    void ask(long token, long nowNanos) {
        Objects.requireNonNull(feedback).ask(token, nowNanos);
    }

    /** {@return whether a PATH-REPLY answers the last PATH-PROBE} */
    boolean answered(PathReplyBody reply, long nowNanos) {
        UdFeedback asked = feedback;
        if (asked == null) {
            return false;
        }
        boolean toldBefore = asked.counted();
        long delay = (long) reply.delay() * RdAckBody.DELAY_UNIT_NANOS;
        boolean answered = asked.answered(reply.token(), reply.datagramsReceived(), delay, nowNanos);
        if (asked.counted() && !toldBefore) {
            pacer.begin(); // discards the debt of the low rate, which no longer holds
        }
        return answered;
    }

    /** A valid datagram of the peer was received. */
    void heard(long nowNanos) {
        heardAt = nowNanos;
        unanswered = 0;
        broken = false;
    }
}
