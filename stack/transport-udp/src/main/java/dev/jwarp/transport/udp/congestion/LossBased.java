package dev.jwarp.transport.udp.congestion;

/**
 * The common part of congestion controls that treat each loss as a sign of a full queue: slow start with {@link
 * HyStart}, one reduction for each episode of losses, recovery by Proportional Rate Reduction (RFC 9937), undo of
 * needless reductions, idle times and the rate. A subclass decides how far the window falls, and how it grows back.
 */
abstract class LossBased implements CongestionControl {
    /** RFC 9002 §7.2: the window is never less. */
    private static final int LEAST_DATAGRAMS = 2;

    private static final long UNKNOWN = Long.MAX_VALUE;
    private static final double SLOW_START_GAIN = 2;
    private static final double GAIN = 1.25; // RFC 9002 §7.7, which has no other gain for slow start
    private static final double NANOS_A_SECOND = 1e9;

    private final HyStart hyStart = new HyStart();
    private int datagram;
    private long window;
    private long threshold = UNKNOWN;
    private long smoothed;

    /** Transmissions before this serial number belong to an episode of losses that has reduced the window. */
    private int episodeEnd;

    private boolean recovering;
    private long delivered;
    private long sent;
    private long flight;

    // Values that an undo restores (RFC 9438 §4.8.2).
    private long windowBefore;
    private long thresholdBefore;

    // ---- for subclasses

    /**
     * {@return the window after an episode of losses}; a subclass also saves the state that it needs of the window
     * before.
     *
     * @param before the window
     * @param flight the bytes of that window that were in flight; at most {@code before}
     */
    abstract long reduced(long before, long flight);

    /** {@return the window after an acknowledgement in congestion avoidance; at least as large as before} */
    abstract long grown(long before, AckSample sample);

    /** Congestion avoidance begins anew at the next {@link #grown}. */
    abstract void avoidanceEnds(boolean byTimeout);

    /** An acknowledgement after which the window must not grow. */
    void unused(long nowNanos) {}

    /** Saves the state that {@link #restore} restores. */
    void save() {}

    /** Restores the state that {@link #save} saved. */
    void restore() {}

    /** {@return bytes on the path of the largest datagram} */
    final int datagram() {
        return datagram;
    }

    /** {@return whether no loss, and no sign of a queue, has ended the first slow start} */
    final boolean inFirstSlowStart() {
        return threshold == UNKNOWN;
    }

    /** {@return whether the window has grown by less than a seventh since the last reduction} */
    final boolean small() {
        return recovering || (threshold != UNKNOWN && window < threshold / 7 * 8);
    }

    /** {@return whether this loss will reduce the window: no other loss of the same round trip has done so} */
    final boolean answers(LossSample sample) {
        return sample.newestSerial - episodeEnd >= 0;
    }

    // ---- CongestionControl

    @Override
    public final void begin(int largest) {
        if (window == 0 || (threshold == UNKNOWN && window == CongestionControl.first(datagram))) {
            window = CongestionControl.first(largest);
        }
        datagram = largest;
        endRecovery();
        window = Math.max(window, least());
        episodeEnd = 0;
        hyStart.begin();
    }

    private long least() {
        return (long) LEAST_DATAGRAMS * datagram;
    }

    @Override
    public final void onSent(int bytes) {
        sent += bytes;
    }

    @Override
    public final void onAcked(AckSample sample) {
        smoothed = sample.smoothed;
        if (recovering) {
            // RFC 9002 §7.3.2: until a datagram sent during recovery is acknowledged.
            if (sample.newestSerial - episodeEnd < 0) {
                delivered += sample.ackedBytes;
                window = proportional(sample);
                unused(sample.now);
                return;
            }
            endRecovery();
        }
        if (!sample.windowLimited) {
            unused(sample.now); // DG-11.4-6, RFC 9438 §5.8, RFC 9002 §7.8
        } else if (window < threshold) {
            slowStart(sample);
        } else {
            window = Math.max(window, grown(window, sample));
        }
    }

    private void slowStart(AckSample sample) {
        if (threshold == UNKNOWN) { // RFC 9406 §4.3: the first slow start only
            window += hyStart.growth(sample);
            if (hyStart.finished()) {
                threshold = window;
            }
        } else {
            window = Math.min(threshold, window + sample.ackedBytes);
        }
        unused(sample.now);
    }

    /** RFC 9937 §6.2. */
    private long proportional(AckSample sample) {
        long inFlight = sample.inFlight;
        long room;
        if (inFlight > threshold) {
            room = (delivered * threshold + flight - 1) / flight - sent;
        } else {
            // As many bytes as have arrived, and one datagram more where recovery makes progress (PRR-CRB, PRR-SSRB).
            room = Math.max(delivered - sent, sample.ackedBytes) + (sample.safe ? datagram : 0);
            room = Math.min(threshold - inFlight, room);
        }
        if (sent == 0) {
            room = Math.max(room, datagram); // the first repetition leaves at once
        }
        return inFlight + Math.max(0, room);
    }

    private void endRecovery() {
        if (recovering) {
            recovering = false;
            window = threshold;
        }
    }

    @Override
    public final void onLost(LossSample sample) {
        if (!answers(sample)) {
            return; // RFC 9002 §7.3.2: one reduction for losses of one round trip
        }
        endRecovery();
        windowBefore = window;
        thresholdBefore = threshold;
        save();
        flight = Math.max(1, underWay(sample));
        threshold = Math.max(least(), reduced(window, used(sample))); // DG-11.4-3
        avoidanceEnds(false);
        recovering = true;
        episodeEnd = sample.nextSerial;
        delivered = 0;
        sent = 0;
        window = sample.inFlight + datagram;
    }

    /**
     * RFC 9438 §4.6, RFC 5681 §3.1: the bytes in flight, since a window that was not full was not too large. If the
     * window limited sending, the window itself, since pacing keeps less in flight than the window allows.
     */
    private long used(LossSample sample) {
        // A sender that sends by rate does not know the bytes in flight.
        return sample.windowLimited || sample.inFlight == 0 ? window : Math.min(window, underWay(sample));
    }

    /**
     * RFC 9937 §6.1: bytes that this acknowledgement acknowledges belong to the flight, and to the bytes that recovery
     * delivers.
     */
    private static long underWay(LossSample sample) {
        return sample.inFlight + sample.bytes + sample.acked;
    }

    @Override
    public final void onPersistentLoss(int nextSerial) {
        endRecovery();
        // DG-11.4-3, RFC 9002 §7.6.2, RFC 5681 §3.1: as after a time-out, slow start up to the reduced window.
        threshold = Math.max(least(), reduced(window, window));
        avoidanceEnds(true);
        window = least();
        windowBefore = 0;
        episodeEnd = nextSerial;
    }

    @Override
    public final void onPathReturned() {
        window = Math.max(window, CongestionControl.first(datagram));
    }

    @Override
    public final void onNeedlessRepeat() {
        endRecovery();
        if (window < windowBefore) { // RFC 9438 §4.8.2
            window = windowBefore;
            threshold = thresholdBefore;
            restore();
        }
        windowBefore = 0;
    }

    @Override
    public final void onIdle(int timeouts) {
        long first = CongestionControl.first(datagram);
        if (window <= first) {
            return;
        }
        // DG-11.4-6, RFC 2861 §3.2: half for each time-out; the threshold remembers the path's capacity.
        if (threshold != UNKNOWN) {
            threshold = Math.max(threshold, window / 4 * 3);
        }
        window = Math.max(first, window >> Math.min(timeouts, 32));
        avoidanceEnds(true);
    }

    @Override
    public final long window() {
        return window;
    }

    @Override
    public final long rate() {
        if (smoothed == 0) {
            return 0;
        }
        boolean slowStart = !recovering && window < threshold && !hyStart.conservative();
        long base = recovering ? Math.max(window, threshold) : window;
        return (long) ((slowStart ? SLOW_START_GAIN : GAIN) * base * NANOS_A_SECOND / smoothed);
    }
}
