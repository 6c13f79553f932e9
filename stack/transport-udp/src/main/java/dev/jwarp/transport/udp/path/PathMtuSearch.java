package dev.jwarp.transport.udp.path;

import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.llp.datagram.DatagramPath;
import java.util.concurrent.TimeUnit;

/**
 * Finds the largest datagram that a path takes by probes (Datagram Packetization Layer Path MTU Discovery, RFC 8899):
 * the state machine of RFC 8899 §5.2 for one destination. Sizes are bytes of UDP payload. The search sends nothing and
 * has no timer. The sender calls {@link #poll} with each datagram to the destination, so that a path without traffic is
 * not probed (DG-6-14, RFC 8899 §4.3), and reports the fate of a probe. A sender that waits for acknowledgements also
 * calls {@link #poll} at {@link #nextTimeout}, since it may have no data to send. One thread at a time, except for
 * {@link #maximumDatagram}; allocates nothing.
 */
public final class PathMtuSearch implements DatagramPath {
    /** The states of RFC 8899 §5.2. */
    public enum State {
        /** Nothing is probed: the system cannot forbid fragments, or the peer answers no probe. */
        DISABLED,
        /** The initial size is being probed; data is sent in this size. */
        BASE,
        /** Larger sizes are being probed. */
        SEARCHING,
        /** The largest size is found. It is confirmed regularly, and after a while larger sizes are tried again. */
        COMPLETE,
        /** The present size does not come through: the least size is being probed. */
        ERROR
    }

    /**
     * So many unacknowledged repetitions in a row are a sign that datagrams may be too large for the path (RFC 8899
     * §4.3).
     */
    public static final int SUSPICIOUS = 3;

    /**
     * RFC 8899 §5.1.2, MAX_PROBES (DG-6-14): a size counts as too large when so many probes of it in a row are lost.
     */
    public static final int PROBES = 3;

    /**
     * RFC 8899 §5.1.1, PROBE_TIMER: a probe without a reply in this time is lost. At least a second; the RFC advises 15
     * s and more.
     */
    public static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1); // T_MTU_PROBE
    /** RFC 8899 §5.1.1, CONFIRMATION_TIMER (DG-6-14): the present size is probed as often while data goes in it. */
    public static final long CONFIRM_NANOS = TimeUnit.SECONDS.toNanos(10); // T_MTU_CONFIRM

    /** The precision of the search, bytes. */
    private static final int GRAIN = 16;

    /** RFC 791, RFC 8200 §5: the largest packets, in bytes, that every path takes. */
    private static final int LEAST_IPV4 = 576;

    private static final int LEAST_IPV6 = 1280;

    /** Packets in bytes that links and tunnels are known to take. */
    private static final int[] USUAL = {1006, 1280, 1400, 1420, 1460, 1480, 1492, 1500, 4352, 9000};

    /** RFC 8899 §5.1.1, PMTU_RAISE_TIMER (DG-6-14): after this time larger sizes are tried again. */
    private final long raiseNanos;

    private final int headers;
    private final int least;
    private State state;
    private int size;
    private int largest;
    /** The smallest size that is known not to come through; one more than the largest if none is. */
    private int failed;

    /** The size before {@link State#ERROR}: tried first. */
    private int again;

    /** The search goes on when the present size is confirmed. */
    private boolean interrupted;

    /** A probe of ours was answered. */
    private boolean heard;

    /** The size that is being probed; 0 for none. */
    private int probing;

    private long token;

    private int lost;
    private long nextAt;
    private long confirmAt;
    private long raiseAt;

    /**
     * A search that has not begun.
     *
     * @param to the destination
     * @param begin the initial size, bytes of UDP payload
     * @param largest the largest size that the interface of this host takes, bytes of UDP payload
     * @param raiseNanos the time after which larger sizes are tried again; 0 for no probes, since datagrams may be
     *        fragmented on their way
     */
    public PathMtuSearch(DatagramAddress to, int begin, int largest, long raiseNanos) {
        boolean probes = raiseNanos > 0;
        this.raiseNanos = raiseNanos;
        headers = to.headers();
        least = Math.min((to.ipv4() ? LEAST_IPV4 : LEAST_IPV6) - headers, largest);
        this.largest = largest;
        size = Math.max(least, Math.min(begin, largest));
        failed = largest + 1;
        state = probes ? State.BASE : State.DISABLED;
        nextAt = probes ? Long.MIN_VALUE : Long.MAX_VALUE;
    }

    @Override
    public int maximumDatagram() {
        return size;
    }

    /** {@return the largest size that will be tried, bytes of UDP payload: what the interface and the peer take} */
    public int largest() {
        return largest;
    }

    /** {@return the state} */
    public State state() {
        return state;
    }

    /** {@return the token that the reply to the last probe has to carry} */
    public long token() {
        return token;
    }

    /** {@return whether {@link #poll} may have work at this time} Cheap: for each datagram. */
    public boolean due(long nowNanos) {
        return nextAt <= nowNanos;
    }

    /** {@return when the outstanding probe counts as lost; {@link Long#MAX_VALUE} if there is none} */
    public long nextTimeout() {
        return probing == 0 ? Long.MAX_VALUE : nextAt;
    }

    /**
     * Data is about to be sent to the destination.
     *
     * @param random 64 unpredictable bits, the token if a probe is to be sent
     * @return the length of a probe to send now with {@link #token}, bytes of UDP payload; 0 for none. The probe counts
     *     as sent
     */
    public int poll(long random, long nowNanos) {
        if (!due(nowNanos)) {
            return 0;
        }
        if (probing != 0) {
            unanswered(nowNanos);
        }
        probing = due(nowNanos) ? choose(nowNanos) : 0;
        if (probing != 0) {
            nextAt = nowNanos + PROBE_NANOS;
            token = random;
        }
        return probing;
    }

    /**
     * A PATH-REPLY came from the destination.
     *
     * @param said the token in the reply
     * @param length the length of the probe as the peer received it, bytes of UDP payload
     * @param takes the largest datagram that the peer takes, bytes of UDP payload
     * @return whether the reply answers the outstanding probe (DG-6-16)
     */
    public boolean answered(long said, int length, int takes, long nowNanos) {
        if (said != token || probing == 0 || length != probing) {
            return false;
        }
        answered(nowNanos);
        takes(takes);
        return true;
    }

    private void answered(long nowNanos) {
        int came = probing;
        heard = true;
        lost = 0;
        probing = 0;
        nextAt = nowNanos;
        switch (state) {
            case BASE -> state = State.SEARCHING;
            case SEARCHING -> size = came;
            case COMPLETE -> {
                confirmAt = nowNanos + CONFIRM_NANOS;
                nextAt = Math.min(confirmAt, raiseAt);
                if (interrupted) {
                    interrupted = false;
                    state = State.SEARCHING;
                    nextAt = nowNanos;
                }
            }
            case ERROR -> { // DG-6-14, RFC 8899 §4.3: the size was too large, or the path was down for a while
                again = size;
                size = came;
                state = State.SEARCHING;
            }
            case DISABLED -> nextAt = Long.MAX_VALUE;
        }
    }

    /**
     * Data of the present size was repeated without an acknowledgement: the present size is probed at once.
     */
    public void suspect(long nowNanos) {
        boolean searching = state == State.SEARCHING;
        if (size > least && (searching || (state == State.COMPLETE && probing == 0))) {
            interrupted = searching;
            state = State.COMPLETE;
            probing = 0;
            lost = 0;
            confirmAt = nowNanos;
            raiseAt = searching ? nowNanos + raiseNanos : raiseAt;
            nextAt = nowNanos;
        }
    }

    /**
     * This host's system has refused a datagram of {@code bytes} of UDP payload as too long for the interface
     * (DG-6-25).
     */
    public void tooLong(int bytes, long nowNanos) {
        failed = Math.min(failed, bytes);
        if (probing >= bytes) {
            probing = 0;
            lost = 0;
            nextAt = nowNanos;
        }
        if (size >= bytes) {
            size = usualBelow(bytes);
            if (state != State.DISABLED) {
                state = State.BASE;
                probing = 0;
                lost = 0;
                nextAt = nowNanos;
            }
        }
    }

    /** The peer takes at most {@code bytes} of UDP payload (DG-6-24). */
    public void takes(int bytes) {
        if (bytes >= least && bytes < largest) {
            largest = bytes;
            failed = Math.min(failed, bytes + 1);
            size = Math.min(size, bytes);
        }
    }

    private void unanswered(long nowNanos) {
        if (++lost < PROBES) {
            return; // RFC 8899 §5.1.2: a single lost probe proves nothing
        }
        lost = 0;
        switch (state) {
            case BASE, COMPLETE -> {
                interrupted = false;
                state = size > least ? State.ERROR : silent(nowNanos);
            }
            case SEARCHING -> failed = Math.min(failed, probing);
            case ERROR -> state = silent(nowNanos);
            case DISABLED -> {}
        }
    }

    /** Not even the least size comes through: the peer does not know probes, or is gone. The size does not change. */
    private State silent(long nowNanos) {
        nextAt = nowNanos + (heard ? CONFIRM_NANOS : raiseNanos);
        return heard ? State.ERROR : State.DISABLED;
    }

    private int choose(long nowNanos) {
        if (state == State.DISABLED) {
            state = State.BASE; // the peer may know probes by now
        }
        if (state == State.COMPLETE && raiseAt <= nowNanos) {
            failed = largest + 1;
            raiseAt = nowNanos + raiseNanos;
            state = largest > size ? State.SEARCHING : State.COMPLETE;
        }
        if (state == State.SEARCHING) {
            int candidate = candidate();
            if (candidate != 0) {
                return candidate;
            }
            state = State.COMPLETE;
            raiseAt = nowNanos + raiseNanos;
            confirmAt = nowNanos + CONFIRM_NANOS;
            nextAt = confirmAt;
            return 0;
        }
        if (state == State.COMPLETE && confirmAt > nowNanos) {
            nextAt = Math.min(confirmAt, raiseAt);
            return 0;
        }
        return state == State.ERROR ? least : size;
    }

    /**
     * DG-6-14, RFC 8899 §5.3.2: first the largest size, then the median of the usual sizes in the range, then
     * bisection.
     */
    private int candidate() {
        if (again > size && again < failed) {
            return again;
        }
        if (failed > largest) {
            return largest > size ? largest : 0;
        }
        int from = 0;
        while (from < USUAL.length && USUAL[from] - headers <= size) {
            from++;
        }
        int to = from;
        while (to < USUAL.length && USUAL[to] - headers < failed) {
            to++;
        }
        if (from < to) {
            return USUAL[(from + to) / 2] - headers;
        }
        return failed - size > GRAIN ? (size + failed) / 2 : 0;
    }

    private int usualBelow(int bytes) {
        int below = least;
        for (int packet : USUAL) {
            if (packet - headers < bytes && packet - headers > below) {
                below = packet - headers;
            }
        }
        return below;
    }
}
