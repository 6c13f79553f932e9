package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.util.concurrent.TimeUnit;

/**
 * What may be set of reliable queue pairs (datagram-iWARP §13, §14). Immutable; any thread.
 *
 * @param window datagrams that may be under way in each direction of a channel, 16 to 32,768
 * @param stash datagrams that came ahead of their turn, kept for all channels of a queue pair together, 1 to 65,536
 * @param stashMemory bytes of them, 1 MiB to 16 GiB; a datagram longer than its share of that counts as several
 * @param channels most channels of a queue pair, 1 to 16,384
 * @param halfOpen channels that a stranger opened and has not used yet; beyond it an RD-OPEN has to show a cookie
 * @param congestion how a channel finds out what its path takes: {@code cubic} or {@code newreno}
 * @param lossTolerancePercent share of lost datagrams up to which loss is not taken for congestion, 0 to 20; above 0 it takes the
 *     place of {@code congestion}
 * @param giveUpNanos how long the oldest datagram may stay unacknowledged, 1 to 300 seconds
 * @param queuePairScope whether the error of one channel stops the whole queue pair, instead of one peer only
 */
public record RdSettings(
        int window,
        int stash,
        long stashMemory,
        int channels,
        int halfOpen,
        String congestion,
        int lossTolerancePercent,
        long giveUpNanos,
        boolean queuePairScope) {
    /** The defaults. */
    public static final RdSettings DEFAULT =
            new RdSettings(16_384, 16_384, 64 << 20, 16_384, 64, "cubic", 0, TimeUnit.SECONDS.toNanos(30), false);

    // datagram-iWARP §14 (DG-11.1-19): timers that are not settable.
    static final long OPEN_FIRST = millis(100);
    static final long OPEN_MOST = millis(1000);
    static final long OPEN_DEADLINE = millis(5000);
    static final long HALF_OPEN = millis(10_000);
    static final long ACK_DELAY = millis(2);
    static final int ACK_EVERY = 16;
    static final long NOT_READY = millis(30_000);
    /** A receiver that is not ready is asked no less often, as long as it answers. */
    static final long NOT_READY_PROBE = millis(1000);

    /** A silent path is asked each round trip, but not more often; for so long; then twice as rarely each time, up to that. */
    static final long PATH_ASKED_LEAST = millis(5);

    static final long PATH_ASKED_OFTEN = millis(15_000);
    static final long PATH_ASKED_MOST = millis(1000);

    static final long REOPEN_AFTER = millis(60_000);
    /** Well before a peer that has accepted something can have been idle for {@link #REOPEN_AFTER}. */
    static final long IN_DOUBT_AFTER = millis(30_000);

    static final long FORGET_AFTER = millis(120_000);
    /** A channel of whose peer nothing came for so long gives way to another one first, if all are in use. */
    static final long IDLE_AFTER = millis(1000);
    /** The window that a peer is told first: it grows as the peer makes use of it. */
    static final int FIRST_WINDOW = 256;
    /** It grows when so many times what came in a round trip is more than it. */
    static final int ROUNDS_OF_QUEUE = 8;
    /** What takes less time is no round trip to go by. */
    static final long ROUND_LEAST = millis(1);
    /** What a round trip is taken for as long as none was measured. */
    static final long ROUND_UNKNOWN = millis(100);
    /** The least that a peer is told when there was no room for what it sent ahead. */
    static final int LEAST_WINDOW = 16;

    static final long COOKIE_LIFE = millis(120_000);
    static final int CHALLENGES = 2;

    /** Checks the ranges. */
    public RdSettings {
        check("window", window, 16, 32_768);
        check("stash", stash, 1, 65_536);
        check("memory for the stash", stashMemory, 1 << 20, 16L << 30);
        check("number of channels", channels, 1, 16_384);
        check("number of half-open channels", halfOpen, 0, 16_384);
        check("loss tolerance", lossTolerancePercent, 0, 20);
        check("give-up time", giveUpNanos, millis(1000), millis(300_000));
    }

    /** {@return those of a transport} */
    static RdSettings of(UdpSettings settings) {
        int stash = (int) settings.number(UdpSetting.RD_STASH);
        int channels = (int) settings.number(UdpSetting.RD_CHANNELS);
        return new RdSettings(
                Math.max(16, Math.min(32_768, stash)),
                stash,
                Math.max(1 << 20, 4_096L * stash),
                channels,
                Math.max(1, channels / 256),
                settings.text(UdpSetting.RD_CONGESTION),
                (int) settings.number(UdpSetting.RD_LOSS_TOLERANCE),
                settings.nanos(UdpSetting.RD_GIVE_UP),
                settings.text(UdpSetting.RD_ERROR_SCOPE).equals("queue-pair"));
    }

    private static void check(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "the " + what + " of reliable datagrams is " + least + " to " + most + ", not " + value);
        }
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
