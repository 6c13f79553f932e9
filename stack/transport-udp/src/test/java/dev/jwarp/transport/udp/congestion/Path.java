package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/** A sender with a {@link CongestionControl} that a test leads from round trip to round trip, datagram by datagram. */
final class Path {
    static final int DATAGRAM = 1_500;

    final CongestionControl control;
    /** Of each round trip. */
    long roundTrip = TimeUnit.MILLISECONDS.toNanos(20);
    /** What {@link AckSample#windowLimited} says. */
    boolean limited = true;
    /** Datagrams that the acknowledgement which shows a loss newly acknowledges. */
    int acked;
    /** What {@link AckSample#safe} says. */
    boolean safe = true;
    /** What {@link LossSample#windowLimited} says. */
    boolean lossLimited;

    int serial;
    long now = TimeUnit.SECONDS.toNanos(1);
    private final AckSample ack = new AckSample();
    private final LossSample loss = new LossSample();

    Path(CongestionControl control) {
        this.control = control;
        control.begin(DATAGRAM);
    }

    /** {@return the window in datagrams} */
    double window() {
        return (double) control.window() / DATAGRAM;
    }

    /** One round trip: a window is sent and acknowledged, datagram by datagram. */
    void round() {
        round(roundTrip);
    }

    /** One round trip in which each datagram takes so long. */
    void round(long nanos) {
        int first = serial;
        int count = (int) Math.max(1, control.window() / DATAGRAM);
        for (int i = 0; i < count; i++) {
            control.onSent(DATAGRAM);
            serial++;
        }
        for (int i = 0; i < count; i++) {
            now += nanos / count;
            acknowledge(first + i, count - 1 - i, nanos);
        }
    }

    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    /** That transmission is acknowledged, and so many are under way. */
    void acknowledge(int newest, int inFlight, long nanos) {
        ack.now = now;
        ack.ackedBytes = DATAGRAM;
        ack.inFlight = (long) inFlight * DATAGRAM;
        ack.roundTrip = nanos;
        ack.smoothed = nanos;
        ack.least = Math.min(nanos, roundTrip);
        ack.newestSerial = newest;
        ack.nextSerial = serial;
        ack.windowLimited = limited;
        ack.safe = safe;
        control.onAcked(ack);
    }

    /** So many are lost, the newest of which is that one, and so many are still under way. */
    void lose(int datagrams, int newest, int inFlight) {
        loss.datagrams = datagrams;
        loss.bytes = (long) datagrams * DATAGRAM;
        loss.inFlight = (long) inFlight * DATAGRAM;
        loss.acked = (long) acked * DATAGRAM;
        loss.windowLimited = lossLimited;
        loss.newestSerial = newest;
        loss.nextSerial = serial;
        control.onLost(loss);
    }

    /** A full window is under way, its first datagram is lost, and the rest of that round trip passes. */
    void loseOne() {
        int first = serial;
        int count = (int) (control.window() / DATAGRAM);
        serial += count;
        lose(1, first, count - 1);
        for (int i = 1; i < count; i++) {
            now += roundTrip / count;
            acknowledge(first + i, count - 1 - i, roundTrip);
        }
        serial++; // the repetition
        now += roundTrip;
        acknowledge(serial - 1, 0, roundTrip);
    }
}
