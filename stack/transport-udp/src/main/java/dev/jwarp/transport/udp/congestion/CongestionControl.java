package dev.jwarp.transport.udp.congestion;

/**
 * Congestion control of one channel: how many bytes may be in flight on its path, and how fast they may leave. Owner
 * thread only; no call allocates.
 */
public interface CongestionControl {
    /** The initial window in datagrams (RFC 6928 §2). */
    int FIRST_DATAGRAMS = 10;

    /**
     * {@return the congestion control of this name}
     *
     * @param name {@code cubic} or {@code newreno}
     * @param tolerancePercent if not 0, {@link LossTolerant} with this tolerance wraps the congestion control
     */
    static CongestionControl of(String name, int tolerancePercent) {
        LossBased usual = name.equals("newreno") ? new NewReno() : new Cubic();
        return tolerancePercent == 0 ? usual : new LossTolerant(usual, tolerancePercent);
    }

    /** {@return the initial window in bytes} */
    static long first(int datagram) {
        // DG-11.4-1, RFC 6928 §2, RFC 9002 §7.2: 10 datagrams, no more than 10 of 1,500 bytes, but 2 always.
        return Math.min((long) FIRST_DATAGRAMS * datagram, Math.max(2L * datagram, FIRST_DATAGRAMS * 1500L));
    }

    /**
     * The flight is empty; serial numbers begin at 0.
     *
     * @param datagram bytes on the path of the largest datagram
     */
    void begin(int datagram);

    /** A datagram leaves, the first time or again. */
    void onSent(int bytes);

    /** An acknowledgement; {@link #onLost} for the losses that it shows is called before. */
    void onAcked(AckSample sample);

    /** Datagrams count as lost: all those that one acknowledgement or one timer shows to be lost. */
    void onLost(LossSample sample);

    /** Nothing has been acknowledged for several time-outs in a row. */
    void onPersistentLoss(int nextSerial);

    /** After {@link #onPersistentLoss}: the path works again, and the flight is empty. */
    void onPathReturned();

    /**
     * All datagrams of the last {@link #onLost}, and of later calls of the same episode, had arrived: they were only
     * late.
     */
    void onNeedlessRepeat();

    /**
     * Sending begins again after a pause in which the flight was empty.
     *
     * @param timeouts how many time-outs the pause lasted, at least 1
     */
    void onIdle(int timeouts);

    /** {@return bytes that may be in flight} DG-11.4-1. At least two datagrams, except during recovery from losses. */
    long window();

    /** {@return the sending rate in bytes a second; 0 for no limit, while no round trip is known} */
    long rate();
}
