package dev.jwarp.ddp.llp.datagram;

import dev.jwarp.ddp.DatagramAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a datagram goes: address, queue pair, Q_Key, and what the path takes. An address handle of the verbs is one of
 * these; so is what a responder notes to answer a Read. The lower layer keeps what it needs per peer (pacing, the channel
 * of a reliable queue pair) behind {@link #control}. Owner thread only, once in use.
 */
public final class DatagramPeer {
    private final DatagramAddress address = new DatagramAddress();
    private int queuePairNumber;
    private int key;
    private int maximumDatagram;
    /** Few peers have a pace of their own, or a cookie to be shown: these stand apart. */
    private @Nullable Rare rare;

    private @Nullable PathControl control;

    /** What says how much the path takes, if it is not a number. */
    private @Nullable DatagramPath path;

    /** Creates one that is nowhere. */
    public DatagramPeer() {}

    /**
     * Creates one.
     *
     * @param where it is, resolved
     * @param maximumDatagram octets of UDP payload that the path takes: path MTU less IP and UDP headers
     * @param pace how fast it may be sent to, octets a second; 0 for what the transport's settings say
     */
    public DatagramPeer(InetSocketAddress where, int queuePairNumber, int key, int maximumDatagram, long pace) {
        address.set(where);
        this.queuePairNumber = queuePairNumber;
        this.key = key;
        this.maximumDatagram = maximumDatagram;
        pace(pace);
    }

    /**
     * Sets where it is; forgets the cookie and the path. Returns this.
     *
     * @param maximumDatagram octets of UDP payload that the path takes: path MTU less IP and UDP headers
     */
    public DatagramPeer set(DatagramAddress where, int queuePairNumber, int key, int maximumDatagram) {
        address.set(where);
        this.queuePairNumber = queuePairNumber;
        this.key = key;
        this.maximumDatagram = maximumDatagram;
        path = null;
        if (rare != null) {
            rare.forgetCookie();
        }
        return this;
    }

    /** {@return the address} Not to be changed. */
    public DatagramAddress address() {
        return address;
    }

    /** {@return the number of the queue pair there, 24 bits} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** {@return the Q_Key of the queue pair there} */
    public int key() {
        return key;
    }

    /** {@return octets of UDP payload that the path takes; 0 if it is not known yet} */
    public int maximumDatagram() {
        DatagramPath followed = path;
        return followed == null ? maximumDatagram : followed.maximumDatagram();
    }

    /** From now on that says what the path takes; null for the number. Lower layer only. */
    public void follow(@Nullable DatagramPath followed) {
        path = followed;
    }

    /** {@return what says how much the path takes; null for a number} */
    public @Nullable DatagramPath path() {
        return path;
    }

    /** Says what the path takes, if it is not known yet. */
    public void maximumDatagram(int octets) {
        maximumDatagram = octets;
    }

    /** Sets how fast it may be sent to, octets a second; 0 for what the transport's settings say. Returns this. */
    public DatagramPeer pace(long octetsPerSecond) {
        if (octetsPerSecond != 0 || rare != null) {
            rare().pace = octetsPerSecond;
        }
        return this;
    }

    /** {@return how fast it may be sent to, octets a second; 0 for what the transport's settings say} */
    public long pace() {
        return rare == null ? 0 : rare.pace;
    }

    /** Keeps the cookie of a CHALLENGE, to be shown to that peer until a moment (datagram-iWARP §9). */
    public void cookie(long high, long low, long untilNanos) {
        Rare noted = rare();
        noted.hasCookie = true;
        noted.high = high;
        noted.low = low;
        noted.until = untilNanos;
    }

    /** {@return whether there is a cookie to show} */
    public boolean hasCookie(long nowNanos) {
        return rare != null && rare.hasCookie && rare.until - nowNanos > 0;
    }

    /** {@return its first 8 octets; 0 if there is none} */
    public long cookieHigh() {
        return rare == null ? 0 : rare.high;
    }

    /** {@return its last 8 octets; 0 if there is none} */
    public long cookieLow() {
        return rare == null ? 0 : rare.low;
    }

    /** {@return what the lower layer keeps of the path or channel there; null before it is used} */
    public @Nullable PathControl control() {
        return control;
    }

    /** Sets what the lower layer keeps of it; null for nothing any more. Lower layer only. */
    public void control(@Nullable PathControl kept) {
        control = kept;
    }

    @Override
    public String toString() {
        return "queue pair " + queuePairNumber + " at " + address;
    }

    private Rare rare() {
        Rare noted = rare;
        if (noted == null) {
            noted = new Rare();
            rare = noted;
        }
        return noted;
    }

    /** What few peers have. */
    private static final class Rare {
        long pace;
        boolean hasCookie;
        long high;
        long low;
        long until;

        void forgetCookie() {
            hasCookie = false;
            high = 0;
            low = 0;
        }
    }
}
