package dev.jwarp.transport.udp.source;

import dev.jwarp.llp.datagram.DatagramAddress;

/**
 * The cookies that were found to be right of late, each with the source that it proves: an asker shows the same one in every
 * Read Request for up to two minutes, and to compute it anew takes longer than to answer a short Read. Only right cookies
 * come in, so a peer cannot fill it with others. A table of fixed size in which a newer one takes the place. Owner thread
 * only; allocates nothing.
 */
final class ShownCookies {
    private static final int ENTRIES = 1024;

    private final long[] high = new long[ENTRIES];
    private final long[] low = new long[ENTRIES];
    private final long[] addressHigh = new long[ENTRIES];
    private final long[] addressLow = new long[ENTRIES];
    private final long[] portAndScope = new long[ENTRIES];
    private final int[] queuePair = new int[ENTRIES];
    /** The slot of time that it was made in. An empty place is of QPN 0 at no port, which never asks. */
    private final long[] madeIn = new long[ENTRIES];

    /** {@return whether this cookie is known to prove that source, in that slot of time} */
    boolean knows(DatagramAddress source, int sourceQpn, long cookieHigh, long cookieLow, long slot) {
        int at = place(cookieLow);
        long difference = (high[at] ^ cookieHigh)
                | (low[at] ^ cookieLow)
                | (addressHigh[at] ^ source.high())
                | (addressLow[at] ^ source.low())
                | (portAndScope[at] ^ portAndScope(source))
                | (queuePair[at] ^ sourceQpn)
                | ((slot - madeIn[at]) & ~1L); // of this slot or of the one before
        return difference == 0; // all bits before the one branch: no time to learn from
    }

    /** This one is right; it was made in that slot of time. */
    void add(DatagramAddress source, int sourceQpn, long cookieHigh, long cookieLow, long made) {
        int at = place(cookieLow);
        high[at] = cookieHigh;
        low[at] = cookieLow;
        addressHigh[at] = source.high();
        addressLow[at] = source.low();
        portAndScope[at] = portAndScope(source);
        queuePair[at] = sourceQpn;
        madeIn[at] = made;
    }

    private static long portAndScope(DatagramAddress source) {
        return (long) source.scope() << 32 | source.port();
    }

    private static int place(long cookieLow) {
        return (int) cookieLow & (ENTRIES - 1);
    }
}
