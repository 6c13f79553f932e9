package dev.jwarp.transport.udp.rd;

import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import java.util.concurrent.TimeUnit;

/**
 * The settings of reliable queue pairs (datagram-iWARP §13, §14), in the ranges of {@link UdpSetting}. Immutable; any
 * thread.
 *
 * @param window the most datagrams in flight in each direction of a channel
 * @param stash the most datagrams kept out of order, for all channels of a queue pair together
 * @param stashMemory their memory in bytes; a datagram longer than its share counts as several
 * @param channels the most channels of a queue pair
 * @param halfOpen the most channels that peers have opened and not used yet; beyond it an RD-OPEN needs a cookie
 * @param congestion the congestion control: {@code cubic} or {@code newreno}
 * @param lossTolerancePercent the share of lost datagrams up to which loss does not count as congestion; above
 *     0 {@link dev.jwarp.transport.udp.congestion.LossTolerant} wraps the congestion control
 * @param giveUpNanos how long the oldest datagram may stay unacknowledged
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
    static final long OPEN_FIRST = millis(100); // T_OPEN
    static final long OPEN_MOST = millis(1000); // T_OPEN
    static final long OPEN_DEADLINE = millis(5000); // T_OPEN_END
    static final long HALF_OPEN = millis(10_000); // T_HALFOPEN
    static final long ACK_DELAY = millis(2); // T_ACK
    static final int ACK_EVERY = 16;
    static final long NOT_READY = millis(30_000); // T_RNR
    /** The longest time between probes of a receiver that is not ready but answers. */
    static final long NOT_READY_PROBE = millis(1000); // T_RNR_PROBE

    /** Probes of a silent path: the least interval; the time without back-off; the longest interval of back-off. */
    static final long PATH_ASKED_LEAST = millis(5); // T_PATH_ASK

    static final long PATH_ASKED_OFTEN = millis(15_000); // T_PATH_OFTEN
    static final long PATH_ASKED_MOST = millis(1000); // T_PATH_SELDOM

    static final long REOPEN_AFTER = millis(60_000); // T_REOPEN
    /**
     * Outstanding datagrams are in doubt after this time, well before a peer that accepted them reopens the channel.
     */
    static final long IN_DOUBT_AFTER = millis(30_000); // T_DOUBT

    static final long FORGET_AFTER = millis(120_000); // T_FORGET
    /** A channel without datagrams of its peer for this time is idle: it is evicted first if all are in use. */
    static final long IDLE_AFTER = millis(1000); // T_QUIET
    /** The initial window: it grows as the peer uses it up. */
    static final int FIRST_WINDOW = 256;
    /** The window grows if it is smaller than the datagrams of a round trip, times this factor. */
    static final int ROUNDS_OF_QUEUE = 8;
    /** Shorter round trips count as this long. */
    static final long ROUND_LEAST = millis(1); // T_WINDOW
    /** The assumed round trip while none was measured. */
    static final long ROUND_UNKNOWN = millis(100); // T_WINDOW_FIRST
    /** The least window after datagrams were discarded for lack of room. */
    static final int LEAST_WINDOW = 16;

    static final long COOKIE_LIFE = millis(120_000); // T_COOKIE
    static final int CHALLENGES = 2;

    /** {@return the settings of a transport} */
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

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
