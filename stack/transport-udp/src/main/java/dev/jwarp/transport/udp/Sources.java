package dev.jwarp.transport.udp;

import dev.jwarp.ddp.llp.LimitSink;
import dev.jwarp.ddp.llp.datagram.DatagramAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the ports of one owner remember of strangers, in tables that do not grow: who showed a right cookie, and how many
 * answers each got lately (datagram-iWARP §9, DG-13-4). Owner thread only; allocates up to its bounds and no more.
 */
final class Sources {
    /** How long a right cookie proves its source (datagram-iWARP §14). */
    static final long VALIDATED_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Networks trusted;
    private final Cookies cookies;
    private final UdpCounters counters;
    private final ChallengeLimit challenges;
    private final SourceTable proved;
    private final long[] provedUntil;
    private final SourceTable answered;
    private final @Nullable Window[] answers;
    private final @Nullable Window[] resolves;

    /** Knows nobody; {@link UdpSetting#SOURCES} says how many each table holds (datagram-iWARP §13). */
    Sources(UdpSettings settings, UdpCounters counters, RandomGenerator random) {
        trusted = settings.trusted();
        this.counters = counters;
        int most = (int) settings.number(UdpSetting.SOURCES);
        provedUntil = new long[most];
        answers = new Window[most];
        resolves = new Window[most];
        byte[] secret = new byte[Cookies.SECRET_LENGTH];
        random.nextBytes(secret);
        cookies = new Cookies(secret);
        proved = new SourceTable(most, random.nextLong());
        answered = new SourceTable(most, random.nextLong());
        challenges = new ChallengeLimit(
                settings.number(UdpSetting.CHALLENGES),
                settings.number(UdpSetting.CHALLENGES_PER_ADDRESS),
                random.nextLong());
    }

    /** Any thread: recent values. */
    void limits(LimitSink sink) {
        sink.limit("port-sources-proved", proved.size(), proved.size(), provedUntil.length);
        sink.limit("port-sources-answered", answered.size(), answered.size(), provedUntil.length);
    }

    /** {@return whether the source is in the allow-list (DG-9.1-3): somebody has said that it cannot be forged} */
    boolean trusted(DatagramAddress source) {
        return trusted.contain(source);
    }

    /** {@return whether the source is in the allow-list, or has shown a right cookie lately (DG-9.1-2)} */
    boolean validated(DatagramAddress source, long nowNanos) {
        if (trusted(source)) {
            return true;
        }
        int slot = proved.find(source);
        return slot >= 0 && provedUntil[slot] - nowNanos > 0;
    }

    /** {@return whether the cookie that a source shows is right} If so, it is validated from now on (DG-9.1-2). */
    boolean show(CookieBody cookie, DatagramAddress source, int sourceQpn, long nowNanos) {
        boolean right = cookies.good(source, sourceQpn, cookie.high(), cookie.low(), nowNanos);
        if (right) {
            int slot = proved.put(source);
            if (proved.fresh() && provedUntil[slot] - nowNanos > 0) { // another's, who could have used it still
                counters.count(UdpCounter.SOURCES_FORGOTTEN);
            }
            provedUntil[slot] = nowNanos + VALIDATED_NANOS;
        }
        return right;
    }

    /** {@return whether a CHALLENGE may be sent to that source now; it is counted as sent, or as withheld} DG-9.4-1. */
    boolean admitsChallenge(DatagramAddress source, long nowNanos) {
        boolean admitted = challenges.admits(source, nowNanos);
        if (!admitted) {
            counters.count(UdpCounter.TX_LIMITED);
        }
        return admitted;
    }

    /** Writes the cookie that proves that source. */
    void writeCookie(ByteBuffer out, int at, DatagramAddress source, int sourceQpn, long nowNanos) {
        cookies.make(source, sourceQpn, nowNanos);
        out.putLong(at + CookieBody.HIGH_OFFSET, cookies.high()).putLong(at + CookieBody.LOW_OFFSET, cookies.low());
    }

    /** {@return how many answers to violations that source got in this second} */
    Window answersTo(DatagramAddress source) {
        return window(answers, source);
    }

    /** {@return how many answers to RESOLVEs that source got in this second} */
    Window resolvesOf(DatagramAddress source) {
        return window(resolves, source);
    }

    private Window window(@Nullable Window[] windows, DatagramAddress source) {
        int slot = answered.put(source);
        if (answered.fresh()) {
            clear(answers[slot]);
            clear(resolves[slot]);
        }
        Window window = windows[slot];
        if (window == null) {
            window = new Window();
            windows[slot] = window;
        }
        return window;
    }

    private static void clear(@Nullable Window window) {
        if (window != null) {
            window.clear();
        }
    }
}
