package dev.jwarp.transport.udp.congestion;

/**
 * Loss detection (RACK, RFC 8985): a transmission is lost if it was sent well before another one that has arrived.
 * Transmissions are known by serial number and time of sending. The time to wait for reordered datagrams adapts: none
 * at first, a quarter of the least round trip once reordering was seen, more when datagrams were repeated without need.
 * Owner thread only; allocates nothing.
 */
public final class LossDetector {
    private static final int DUPLICATES = 3; // RFC 8985 §6.2 step 4, RFC 5681 §3.2
    private static final int PERSISTENCE = 16; // RFC 8985 §6.2 step 4

    private boolean any;
    private int newest;
    private long newestSentAt;
    private long roundTrip;

    private boolean reordered;
    private int multiplier = 1;
    private int persistence;
    private boolean widened;
    private int widenedUntil;

    // The present episode of losses, or the last one.
    private boolean recovering;
    private int episodeEnd;
    private int lost;
    private int needless;

    /** Serial numbers begin at 0, and the flight is empty. */
    public void begin() {
        any = false;
        reordered = false;
        multiplier = 1;
        recovering = false;
        widened = false;
        episodeEnd = 0;
        lost = 0;
        needless = 0;
    }

    /** {@return the latest transmission that has arrived; -1 if there is none} */
    public int newest() {
        return any ? newest : -1;
    }

    /** That transmission has arrived: of several, RFC 8985 §6.2 step 2 keeps the latest. */
    public void onArrived(int serial, long sentAt, long nowNanos) {
        if (!any || serial - newest > 0) {
            any = true;
            newest = serial;
            newestSentAt = sentAt;
            roundTrip = nowNanos - sentAt;
        }
    }

    /** A datagram that was sent once has arrived after one that was sent later: RFC 8985 §6.2 step 3. */
    public void onReordered() {
        reordered = true;
    }

    /** {@return whether a transmission was overtaken by one that has arrived} DG-11.3-14, RFC 8985 §6.2 step 5. */
    public boolean overtaken(int serial) {
        return any && newest - serial > 0;
    }

    /**
     * {@return when a transmission that was {@link #overtaken} counts as lost} RFC 8985 §6.2 step 5.
     *
     * @param ahead datagrams that have arrived before datagrams with a lower number
     */
    public long lostAt(long sentAt, int ahead, RttEstimator path) {
        return Math.min(sentAt, newestSentAt) + roundTrip + reordering(ahead, path);
    }

    private long reordering(int ahead, RttEstimator path) {
        if (!reordered && (recovering || ahead >= DUPLICATES)) {
            return 0;
        }
        return Math.min(multiplier * path.least() / 4, path.smoothed());
    }

    /** Counts datagrams as lost; {@code latest} is the latest of their transmissions. */
    public void onLost(int datagrams, int latest, int nextSerial) {
        if (latest - episodeEnd >= 0) {
            recovering = true;
            episodeEnd = nextSerial;
            lost = 0;
            needless = 0;
        }
        lost += datagrams;
    }

    /** Called for each acknowledgement that acknowledges something new, before {@link #lostAt} is asked. */
    public void onAcked() {
        if (recovering && any && newest - episodeEnd >= 0) {
            recovering = false;
            if (--persistence <= 0) {
                multiplier = 1;
            }
        }
    }

    /**
     * A datagram that counted as lost had arrived.
     *
     * @return whether all datagrams of the last episode of losses had arrived
     */
    public boolean onNeedless(int nextSerial) {
        onLate(nextSerial);
        needless++;
        return needless == lost;
    }

    /** {@return whether that transmission is a repetition of the last episode of losses} */
    public boolean inEpisode(int serial) {
        return serial - episodeEnd >= 0;
    }

    /** A datagram that counted as lost, some time ago, had arrived. */
    public void onLate(int nextSerial) {
        reordered = true;
        if (!widened || newest - widenedUntil >= 0) {
            // RFC 8985 §6.2 step 4: wider, once in a round trip.
            widened = true;
            widenedUntil = nextSerial;
            multiplier++;
            persistence = PERSISTENCE;
        }
    }
}
