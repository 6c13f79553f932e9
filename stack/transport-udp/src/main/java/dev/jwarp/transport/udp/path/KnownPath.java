package dev.jwarp.transport.udp.path;

import dev.jwarp.llp.datagram.DatagramPath;

/** The path to one address. Owner thread only, except for {@link #maximumDatagram}. */
public final class KnownPath implements DatagramPath {
    /**
     * So many unacknowledged repetitions in a row are a sign that datagrams may be too large for the path (RFC 8899
     * §4.3).
     */
    public static final int SUSPICIOUS = 3;

    private final PathMtuSearch search;
    private long token;

    /** A path whose largest datagram is found by {@code search}. */
    public KnownPath(PathMtuSearch search) {
        this.search = search;
    }

    /** {@return the search} */
    public PathMtuSearch search() {
        return search;
    }

    @Override
    public int maximumDatagram() {
        return search.size();
    }

    /**
     * Data is about to be sent to the address.
     *
     * @param random 64 unpredictable bits, the token if a probe is to be sent
     * @return the length of a probe to send now with {@link #token}, bytes of UDP payload; 0 for none
     */
    public int poll(long random, long nowNanos) {
        int size = search.poll(nowNanos);
        if (size > 0) {
            token = random;
        }
        return size;
    }

    /** {@return the token that the reply to the last probe has to carry} */
    public long token() {
        return token;
    }

    /**
     * A PATH-REPLY came from the address.
     *
     * @param said the token in the reply
     * @param length the length of the probe as the peer received it, bytes of UDP payload
     * @param takes the largest datagram that the peer takes, bytes of UDP payload
     * @return whether the reply answers the outstanding probe (DG-6-16)
     */
    public boolean answered(long said, int length, int takes, long nowNanos) {
        if (said != token || search.probing() == 0 || length != search.probing()) {
            return false;
        }
        search.answered(nowNanos);
        search.takes(takes);
        return true;
    }
}
