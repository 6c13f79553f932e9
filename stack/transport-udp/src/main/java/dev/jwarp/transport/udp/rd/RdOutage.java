package dev.jwarp.transport.udp.rd;

/**
 * An outage of a path: the schedule of PATH-PROBEs that test whether the path works again. The probes carry no data and
 * are no repetitions, so that they may be more frequent than repetitions with back-off (DG-11.3-19). Owner thread only.
 */
final class RdOutage {
    private static final long NONE = Long.MAX_VALUE;

    private long begun;
    private long wait;
    private long askAt = NONE;

    /** {@return whether there is an outage} */
    boolean goesOn() {
        return askAt != NONE;
    }

    /** Begins an outage unless there is one: a probe for each round trip (RFC 8085 §3.1.3). */
    void begin(long roundTrip, long nowNanos) {
        if (!goesOn()) {
            begun = nowNanos;
            wait = Math.max(RdSettings.PATH_ASKED_LEAST, roundTrip);
            askAt = nowNanos;
        }
    }

    /** Ends the outage. */
    void end() {
        askAt = NONE;
    }

    /** {@return when a probe is to be sent} */
    long askAt() {
        return askAt;
    }

    /** A probe is sent: the next one after a round trip, with back-off when the outage lasts long. */
    void asked(long nowNanos) {
        if (nowNanos - begun >= RdSettings.PATH_ASKED_OFTEN) {
            wait = Math.max(wait, Math.min(2 * wait, RdSettings.PATH_ASKED_MOST));
        }
        askAt = nowNanos + wait;
    }
}
