package dev.jwarp.transport.udp.congestion;

/**
 * An estimate of what a path takes: how many bytes may be under way, and how fast they may leave. One for each channel. Owner
 * thread only; no call allocates.
 */
public interface CongestionControl {
    /** Datagrams on which a path is judged before anything is known of it (RFC 6928 §2). */
    int FIRST_DATAGRAMS = 10;

    /**
     * {@return the control of that name}
     *
     * @param name {@code cubic} or {@code newreno}
     * @param tolerancePercent if not 0: behind {@link LossTolerant} with this tolerance
     */
    static CongestionControl of(String name, int tolerancePercent) {
        LossBased usual = name.equals("newreno") ? new NewReno() : new Cubic();
        return tolerancePercent == 0 ? usual : new LossTolerant(usual, tolerancePercent);
    }

    /** {@return bytes that may be under way on a path of which nothing is known} */
    static long first(int datagram) {
        // DG-11.4-2, RFC 6928 §2, RFC 9002 §7.2: 10 datagrams, no more than 10 of 1,500 bytes, but 2 always.
        return Math.min((long) FIRST_DATAGRAMS * datagram, Math.max(2L * datagram, FIRST_DATAGRAMS * 1500L));
    }

    /**
     * Nothing is under way; serial numbers begin at 0.
     *
     * @param datagram bytes on the path of the largest datagram
     */
    void begin(int datagram);

    /** A datagram leaves, the first time or again. */
    void onSent(int bytes);

    /** An acknowledgement, after {@link #onLost} for what it shows to be lost. */
    void onAcked(AckSample sample);

    /** Datagrams count as lost: all that one acknowledgement, or one moment, shows to be so. */
    void onLost(LossSample sample);

    /** Nothing has been acknowledged for several time-outs in a row. */
    void onPersistentLoss(int nextSerial);

    /** After {@link #onPersistentLoss}: the path is back, and nothing is under way on it. */
    void onPathReturned();

    /** All that the last {@link #onLost} and those since it took for lost had arrived: they were late only. */
    void onNeedlessRepeat();

    /**
     * Nothing was under way for so long, and something is about to be sent.
     *
     * @param timeouts how many time-outs the pause lasted, at least 1
     */
    void onIdle(int timeouts);

    /** {@return bytes that may be under way} DG-11.4-1. Never less than two datagrams, but while it recovers from losses. */
    long window();

    /** {@return bytes a second at which datagrams may leave; 0 while no round trip is known: no limit} */
    long rate();
}
