package dev.jwarp.transport.udp.source;

import dev.jwarp.base.Networks;
import dev.jwarp.base.Rate;
import dev.jwarp.base.ShareLimits;
import dev.jwarp.base.SplitMix;
import dev.jwarp.base.Tally;
import dev.jwarp.llp.LimitSink;
import dev.jwarp.llp.datagram.DatagramAddress;
import dev.jwarp.transport.udp.UdpCounter;
import dev.jwarp.transport.udp.UdpSetting;
import dev.jwarp.transport.udp.UdpSettings;
import dev.jwarp.transport.udp.wire.CookieBody;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The sources of datagrams that the ports of one owner remember, in bounded memory: the sources that have shown a valid
 * cookie, and the number of answers to each source in this second (datagram-iWARP §9). Owner thread only;
 * allocates nothing after construction.
 */
public final class AnswerSources {
    /** How long a valid cookie proves its source (datagram-iWARP §14). */
    static final long VALIDATED_NANOS = TimeUnit.SECONDS.toNanos(60); // T_VALID

    public static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** CHALLENGEs a second to each port of an address, whatever its other ports have got (datagram-iWARP §9.4). */
    static final int CHALLENGES_PER_PORT = 10;

    /** PATH-REPLYs a second to each port of an address; a reply is never longer than its probe (datagram-iWARP §9). */
    public static final int PATH_REPLIES_PER_SOURCE = 1_000;

    /** The counts of each rate: more than the CHALLENGEs of a second can fill, since attackers choose the sources. */
    private static final int PLACES = 32_768;

    /** CHALLENGEs a second, at most a fifth of them to one address (datagram-iWARP §9.4). */
    private static final long CHALLENGES = 50_000;

    private final Networks trusted;
    private final Cookies cookies;
    private final Tally<UdpCounter> counters;
    private final long secret;
    private final SourceTable proved;
    private final long[] provedUntil;
    private final Rate answers;
    private final Rate resolves;
    private final Rate challengesByAddress;
    private final Rate challengesByPort;
    private final Rate pathReplies;

    /** Creates empty tables; {@link UdpSetting#SOURCES} is their size (datagram-iWARP §13). */
    public AnswerSources(UdpSettings settings, Tally<UdpCounter> counters, RandomGenerator random) {
        trusted = settings.trusted();
        this.counters = counters;
        int most = (int) settings.number(UdpSetting.SOURCES);
        provedUntil = new long[most];
        byte[] ofCookies = new byte[Cookies.SECRET_LENGTH];
        random.nextBytes(ofCookies);
        cookies = new Cookies(ofCookies);
        proved = SourceTable.divided(most, random.nextLong());
        secret = random.nextLong();
        answers = new Rate(SECOND, PLACES, random.nextLong());
        resolves = new Rate(SECOND, PLACES, random.nextLong());
        challengesByAddress = new Rate(SECOND, PLACES, random.nextLong());
        challengesByPort = new Rate(SECOND, PLACES, random.nextLong());
        pathReplies = new Rate(SECOND, PLACES, random.nextLong());
    }

    /** Any thread: recent values. */
    public void limits(LimitSink sink) {
        sink.limit("port-sources-proved", proved.size(), proved.size(), provedUntil.length);
    }

    /** {@return whether the source is in the allow-list (DG-9.1-3): the settings say that it cannot be forged} */
    public boolean trusted(DatagramAddress source) {
        return trusted.contain(source.high(), source.low());
    }

    /** {@return whether the source is in the allow-list, or has shown a valid cookie recently (DG-9.1-2)} */
    public boolean validated(DatagramAddress source, long nowNanos) {
        if (trusted(source)) {
            return true;
        }
        int slot = proved.find(source);
        return slot >= 0 && provedUntil[slot] - nowNanos > 0;
    }

    /** {@return whether the cookie of a source is valid} If so, the source is validated from now on (DG-9.1-2). */
    public boolean show(CookieBody cookie, DatagramAddress source, int sourceQpn, long nowNanos) {
        boolean right = cookies.good(source, sourceQpn, cookie.high(), cookie.low(), nowNanos);
        if (right) {
            int slot = proved.put(source);
            if (proved.fresh() && provedUntil[slot] - nowNanos > 0) { // the evicted source was still validated
                counters.count(UdpCounter.SOURCES_FORGOTTEN);
            }
            provedUntil[slot] = nowNanos + VALIDATED_NANOS;
        }
        return right;
    }

    /** {@return whether a CHALLENGE may be sent to that source now; counted as sent or as withheld} DG-9.4-1. */
    public boolean admitsChallenge(DatagramAddress source, long nowNanos) {
        long address = Divided.source(source);
        long port = key(source);
        boolean admitted = challengesByAddress.all(nowNanos) < CHALLENGES
                && (challengesByAddress.of(address, nowNanos) < CHALLENGES / 5
                        || challengesByPort.of(port, nowNanos) < CHALLENGES_PER_PORT);
        if (admitted) {
            challengesByAddress.count(address, nowNanos);
            challengesByPort.count(port, nowNanos);
        } else {
            counters.count(UdpCounter.TX_LIMITED);
        }
        return admitted;
    }

    /** {@return whether a PATH-REPLY may be sent to that source now; counted as sent or as withheld} DG-10-18. */
    public boolean admitsPathReply(DatagramAddress source, long nowNanos) {
        long key = key(source);
        long address = addressKey(source);
        boolean admitted = pathReplies.all(nowNanos) < 2 * CHALLENGES // each reply counts twice: for port and address
                && pathReplies.of(address, nowNanos) < ShareLimits.mostOfOneSource(CHALLENGES)
                && pathReplies.of(key, nowNanos) < PATH_REPLIES_PER_SOURCE;
        if (admitted) {
            pathReplies.count(address, nowNanos);
            pathReplies.count(key, nowNanos);
        } else {
            counters.count(UdpCounter.TX_LIMITED);
        }
        return admitted;
    }

    /** Writes the cookie that proves that source. */
    public void writeCookie(ByteBuffer out, int at, DatagramAddress source, int sourceQpn, long nowNanos) {
        cookies.make(source, sourceQpn, nowNanos);
        CookieBody.write(out, at, cookies.high(), cookies.low());
    }

    /** {@return the rate of answers to violations, by {@link #key} and by {@link #addressKey}} */
    public Rate answers() {
        return answers;
    }

    /** {@return the rate of answers to RESOLVEs without a cookie, by {@link #key}} */
    public Rate resolves() {
        return resolves;
    }

    /** {@return a number for this address, whatever the port; different from every {@link #key}} */
    public long addressKey(DatagramAddress source) {
        return SplitMix.hash(secret, Divided.source(source));
    }

    /** {@return a number for this address and port; collisions cannot be found without the secret} */
    public long key(DatagramAddress source) {
        return SplitMix.hash(secret, source.high(), source.low(), SourceTable.portAndScope(source));
    }
}
