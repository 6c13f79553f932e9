package dev.jwarp.transport.udp.ud;

import dev.jwarp.llp.datagram.PathControl;
import dev.jwarp.transport.udp.congestion.Pacer;
import dev.jwarp.transport.udp.wire.PathReplyBody;
import dev.jwarp.transport.udp.wire.RdSackBody;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How fast UD may send to one address and port, and whether anything has been heard from there (datagram-iWARP §6, RFC 8085
 * §3.1). A peer that tells what comes there gets as much as the path takes ({@link UdFeedback}). To all others some
 * datagrams go at once, then all at a low rate; and if nothing at all is heard from there, next to nothing: a circuit breaker (RFC 8084), which
 * anything from there closes. Owner thread only; allocates nothing but what is known of a path that is judged.
 */
final class UdPath implements PathControl {
    /** Where the rate comes from. */
    enum Limit {
        /** The program or the settings say it: it holds whatever is heard. */
        SET,
        /** It holds for as long as the peer does not tell what comes; where nothing at all is heard, there is a breaker. */
        UNHEARD,
        /** It is a group's: nothing is ever heard from there. */
        GROUP
    }

    /** Where nothing limits: all that need no pace have this one. */
    static final UdPath UNLIMITED = new UdPath(0, Limit.SET);

    /** Datagrams at once, while nothing is known of the path (RFC 6928 §2), but no more than so many bytes. */
    private static final int AT_ONCE = 10;

    private static final int AT_ONCE_BYTES = 15_000;

    /** A peer is silent when nothing has come from it for so long, */
    private static final long SILENCE = TimeUnit.SECONDS.toNanos(10);

    /** and so many datagrams went there meanwhile. */
    private static final int SILENT_DATAGRAMS = 100;

    /** RFC 8085 §3.1.3, for those who hear nothing: then one datagram in this time. */
    private static final long TRICKLE = TimeUnit.SECONDS.toNanos(3);

    /** At a low rate, at least. */
    private static final int DATAGRAMS_A_SECOND = 20;

    /** But a datagram of several is no shorter: the least that a segment may have, and headers. */
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

    /** Made with the first datagram to a peer that may be asked. */
    private @Nullable UdFeedback feedback;

    /**
     * A path on which nothing was sent yet.
     *
     * @param rate bytes of UDP payload a second, more than 0
     */
    UdPath(long rate, Limit limit) {
        this.rate = rate;
        this.limit = limit;
    }

    /** {@return whether nothing is ever limited here} */
    boolean unlimited() {
        return rate == 0;
    }

    /**
     * {@return bytes of UDP payload of the longest datagram that is to go there} A receiver gives a message up when nothing of it comes for
     * 100 ms: at a low rate datagrams are short enough to come more often (DG-6-13).
     *
     * @param most what the way takes
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

    /** The table has no place for it any more: it hears nothing. */
    void forget() {
        forgotten = true;
    }

    boolean forgotten() {
        return forgotten;
    }

    /** {@return whether its circuit breaker is open} */
    boolean broken() {
        return broken;
    }

    /** {@return when the next datagram may leave; a moment that has passed if now} */
    long admittedAt(long nowNanos) {
        if (broken) { // DG-6-7
            return sentAt + TRICKLE;
        }
        return unlimited() ? NEVER : pacer.admittedAt();
    }

    /** {@return bytes a second that may leave now} */
    private long rate(long nowNanos) {
        UdFeedback tells = telling(nowNanos);
        return tells == null ? rate : tells.rate(nowNanos);
    }

    /** {@return what a peer that is heard tells of what comes; null if it tells nothing} datagram-iWARP §6.2 (DG-6-26) */
    private @Nullable UdFeedback telling(long nowNanos) {
        UdFeedback tells = feedback;
        return tells != null && tells.counted() && heardLately(nowNanos) ? tells : null;
    }

    /** What there is to send has to wait. */
    void waits() {
        if (feedback != null) {
            feedback.waits();
        }
    }

    private boolean heardLately(long nowNanos) {
        return limit == Limit.UNHEARD && heardAt != NEVER && nowNanos - heardAt < SILENCE;
    }

    /** {@return whether the breaker opens with this datagram of so many bytes, which leaves} */
    boolean sent(int bytes, long nowNanos) {
        sentAt = nowNanos;
        if (limit == Limit.UNHEARD) {
            if (feedback == null) {
                feedback = new UdFeedback();
            }
            feedback.sent(bytes);
        }
        long now = rate(nowNanos);
        // datagram-iWARP §6.2 (DG-6-1, DG-6-6, DG-6-9, DG-6-26)
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

    /** {@return whether the peer is to be asked what has come: a PATH-PROBE with {@link #ask}} */
    boolean asks(long nowNanos) {
        return feedback != null && feedback.asks(broken, nowNanos);
    }

    /** A PATH-PROBE with that token leaves. */
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
        long delay = (long) reply.delay() * RdSackBody.DELAY_UNIT_NANOS;
        boolean answered = asked.answered(reply.token(), reply.datagramsReceived(), delay, nowNanos);
        if (asked.counted() && !toldBefore) {
            pacer.begin(); // what left before is paid for by the low rate, which holds no longer
        }
        return answered;
    }

    /** Something of that peer came that was for us. */
    void heard(long nowNanos) {
        heardAt = nowNanos;
        unanswered = 0;
        broken = false;
    }
}
