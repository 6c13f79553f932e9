package dev.jwarp.transport.udp.path;

import dev.jwarp.llp.datagram.DatagramPath;

/** What is known of the path to one address. The owner's, but for {@link #maximumDatagram}. */
public final class KnownPath implements DatagramPath {
    /** At least so many repetitions in succession that nothing came of are a sign that the size may be it (RFC 8899 §4.3). */
    public static final int SUSPICIOUS = 3;

    private final PathMtuSearch search;
    private long token;

    /** A path of which that search finds out what it takes. */
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
     * Data goes there.
     *
     * @param random 64 bits that cannot be guessed, only looked at if a probe is wanted
     * @return of how many bytes of UDP payload a probe is to be sent now, with {@link #token}; 0 for none
     */
    public int poll(long random, long nowNanos) {
        int size = search.poll(nowNanos);
        if (size > 0) {
            token = random;
        }
        return size;
    }

    /** {@return what the answer to the probe sent last has to say} */
    public long token() {
        return token;
    }

    /**
     * A PATH-REPLY came from there.
     *
     * @param said the token that it tells
     * @param length of the probe as it came, bytes of UDP payload
     * @param takes what the peer takes at most, bytes of UDP payload
     * @return whether it answers the probe that is out (DG-6-16)
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
