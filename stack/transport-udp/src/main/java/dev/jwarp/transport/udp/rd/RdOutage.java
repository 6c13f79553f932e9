package dev.jwarp.transport.udp.rd;

/**
 * A path that has gone silent, and when it is asked next whether it is back: by PATH-PROBEs, which carry no data and are no
 * repetitions, so that they need not be as rare as those become (DG-11.3-19). Owner thread only.
 */
final class RdOutage {
    private static final long NONE = Long.MAX_VALUE;

    private long begun;
    private long wait;
    private long askAt = NONE;

    /** {@return whether there is one} */
    boolean goesOn() {
        return askAt != NONE;
    }

    /** It begins, if it has not: asked once in a round trip (RFC 8085 §3.1.3). */
    void begin(long roundTrip, long nowNanos) {
        if (!goesOn()) {
            begun = nowNanos;
            wait = Math.max(RdSettings.PATH_ASKED_LEAST, roundTrip);
            askAt = nowNanos;
        }
    }

    /** It is over, or nothing waits for its end. */
    void end() {
        askAt = NONE;
    }

    /** {@return when the path is to be asked} */
    long askAt() {
        return askAt;
    }

    /** The path is asked: again after a round trip, and more and more rarely when that has gone on for long. */
    void asked(long nowNanos) {
        if (nowNanos - begun >= RdSettings.PATH_ASKED_OFTEN) {
            wait = Math.max(wait, Math.min(2 * wait, RdSettings.PATH_ASKED_MOST));
        }
        askAt = nowNanos + wait;
    }
}
