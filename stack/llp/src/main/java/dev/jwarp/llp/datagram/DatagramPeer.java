package dev.jwarp.llp.datagram;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The destination of datagrams: address, queue pair, Q_Key and path MTU. Used for address handles of the verbs and for
 * the requester of a Read. The lower layer stores its state of the peer (pacing, the channel of a reliable queue pair)
 * in {@link #control}. Owner thread only, once in use.
 */
public final class DatagramPeer {
    private final DatagramAddress address = new DatagramAddress();
    private int queuePairNumber;
    private int key;
    private int maximumDatagram;
    /** The fields that few peers need: a pace and a cookie. */
    private @Nullable Rare rare;

    private @Nullable PathControl control;

    /** The path; null if {@link #maximumDatagram} is a fixed number. */
    private @Nullable DatagramPath path;

    /** Creates a peer without address. */
    public DatagramPeer() {}

    /**
     * Creates a peer.
     *
     * @param where resolved address
     * @param maximumDatagram maximum UDP payload of the path in bytes: path MTU without IP and UDP headers
     * @param pace pace in bytes per second; 0 for the transport's settings
     */
    public DatagramPeer(InetSocketAddress where, int queuePairNumber, int key, int maximumDatagram, long pace) {
        address.set(where);
        this.queuePairNumber = queuePairNumber;
        this.key = key;
        this.maximumDatagram = maximumDatagram;
        pace(pace);
    }

    /**
     * Sets the destination and clears cookie and path. Returns this.
     *
     * @param maximumDatagram maximum UDP payload of the path in bytes: path MTU without IP and UDP headers
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

    /** {@return the number of the peer's queue pair, 24 bits} */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** {@return the Q_Key of the peer's queue pair} */
    public int key() {
        return key;
    }

    /** {@return the maximum UDP payload of the path in bytes; 0 if it is not known yet} */
    public int maximumDatagram() {
        DatagramPath followed = path;
        return followed == null ? maximumDatagram : followed.maximumDatagram();
    }

    /**
     * Sets the path, which determines the maximum UDP payload from now on; null for the fixed number. Lower layer only.
     */
    public void follow(@Nullable DatagramPath followed) {
        path = followed;
    }

    /** {@return the path; null for a fixed maximum UDP payload} */
    public @Nullable DatagramPath path() {
        return path;
    }

    /** Sets the maximum UDP payload if it is not known yet. */
    public void maximumDatagram(int octets) {
        maximumDatagram = octets;
    }

    /** Sets the pace in bytes per second; 0 for the transport's settings. Returns this. */
    public DatagramPeer pace(long octetsPerSecond) {
        if (octetsPerSecond != 0 || rare != null) {
            rare().pace = octetsPerSecond;
        }
        return this;
    }

    /** {@return the pace in bytes per second; 0 for the transport's settings} */
    public long pace() {
        return rare == null ? 0 : rare.pace;
    }

    /** Stores the cookie of a CHALLENGE, which datagrams to the peer carry until the given time (datagram-iWARP §9). */
    public void cookie(long high, long low, long untilNanos) {
        Rare noted = rare();
        noted.hasCookie = true;
        noted.high = high;
        noted.low = low;
        noted.until = untilNanos;
    }

    /** {@return whether there is a valid cookie} */
    public boolean hasCookie(long nowNanos) {
        return rare != null && rare.hasCookie && rare.until - nowNanos > 0;
    }

    /** {@return the first 8 bytes of the cookie; 0 if there is none} */
    public long cookieHigh() {
        return rare == null ? 0 : rare.high;
    }

    /** {@return the last 8 bytes of the cookie; 0 if there is none} */
    public long cookieLow() {
        return rare == null ? 0 : rare.low;
    }

    /** {@return the state of the lower layer for the path or channel there, or null} */
    public @Nullable PathControl control() {
        return control;
    }

    /** Sets the state of the lower layer. Lower layer only. */
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

    /** Fields that few peers need. */
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
