package dev.jwarp.transport.udp.congestion;

import java.util.concurrent.TimeUnit;

/** A sender with a {@link CongestionControl}, driven by tests in round trips, datagram by datagram. */
final class Path {
    static final int DATAGRAM = 1_500;

    final CongestionControl control;
    /** The time of each round trip. */
    long roundTrip = TimeUnit.MILLISECONDS.toNanos(20);
    /** The value of {@link AckSample#windowLimited}. */
    boolean limited = true;
    /** Datagrams newly acknowledged by the acknowledgement that shows a loss. */
    int acked;
    /** The value of {@link AckSample#safe}. */
    boolean safe = true;
    /** The value of {@link LossSample#windowLimited}. */
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

    /** One round trip in which each datagram has a round trip of {@code nanos}. */
    void round(long nanos) {
        round(nanos, 0);
    }

    /** The same; one in {@code oneOf} datagrams is lost, 0 for none. */
    void round(long nanos, int oneOf) {
        int first = serial;
        int count = (int) Math.max(1, control.window() / DATAGRAM);
        for (int i = 0; i < count; i++) {
            control.onSent(DATAGRAM);
            serial++;
        }
        for (int i = 0; i < count; i++) {
            now += nanos / count;
            if (oneOf > 0 && (first + i) % oneOf == 0) {
                lose(1, first + i, count - 1 - i);
            } else {
                acknowledge(first + i, count - 1 - i, nanos);
            }
        }
    }

    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    /** Acknowledges the transmission {@code newest}, with {@code inFlight} in flight. */
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

    /** Loses {@code datagrams}, the newest being {@code newest}, with {@code inFlight} in flight. */
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

    /** Sends {@code count} datagrams, and loses the first with {@code inFlight} in flight; one sent later arrives. */
    void loseFirstOf(int count, int inFlight) {
        serial += count;
        lose(1, serial - count, inFlight);
        serial++;
        acknowledge(serial - 1, 0, roundTrip);
    }

    /** Sends a full window, loses its first datagram, and completes that round trip. */
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
