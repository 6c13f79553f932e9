package dev.jwarp.transport.udp.rd;

/** The state of a channel while this side opens it. */
final class RdOpening {
    final int messageId;
    /** The peer's tag of the channel that is reopened, or 0. */
    final int previousTag;
    /** Our own tag of that channel, or 0: late datagrams with it are dropped without an answer. */
    final int oldTag;

    /** The time of the first RD-OPEN, moved forward by pauses of this side, so that only the peer's silence counts. */
    private long since;

    int challenges;
    private int tries;
    /** Whether an RD-ACCEPT may answer one of several RD-OPENs. */
    private boolean ambiguous;

    private long sentAt;
    private long nextAt = Long.MAX_VALUE;
    private long wanted;

    private long interval = RdSettings.OPEN_FIRST;

    RdOpening(int messageId, int previousTag, int oldTag, long nowNanos) {
        this.messageId = messageId;
        this.previousTag = previousTag;
        this.oldTag = oldTag;
        since = nowNanos;
    }

    /** An RD-OPEN is sent. */
    void sent(long nowNanos) {
        since = tries == 0 ? nowNanos : since + nowNanos - wanted;
        tries++;
        ambiguous |= tries > 1;
        sentAt = nowNanos;
        nextAt = nowNanos + interval;
        interval = Math.min(RdSettings.OPEN_MOST, interval * 2); // §14 (DG-11.1-6): 100 ms x 2, at most 1 s
    }

    /** {@return whether the RD-OPEN is to be repeated now} True once for each repetition. */
    boolean repeats(long nowNanos) {
        if (nowNanos < nextAt) {
            return false;
        }
        wanted = nextAt;
        nextAt = Long.MAX_VALUE;
        return true;
    }

    /** A CHALLENGE came: the RD-OPEN is repeated. */
    void challenged() {
        challenges++;
        ambiguous |= challenges > 1; // an RD-OPEN with the first cookie may still be in flight
        tries = 0;
    }

    /** {@return the round trip that an RD-ACCEPT received now shows, nanoseconds; 0 if it is ambiguous (DG-11.3-18)} */
    long roundTrip(long nowNanos) {
        return ambiguous ? 0 : Math.max(1, nowNanos - sentAt);
    }

    /** {@return whether the deadline has passed} Not while a repetition is due. */
    boolean expired(long nowNanos) {
        return nextAt != Long.MAX_VALUE && nowNanos - since >= RdSettings.OPEN_DEADLINE;
    }

    /** {@return the time of the next repetition, or of the deadline} */
    long nextTimeout() {
        return nextAt == Long.MAX_VALUE ? nextAt : Math.min(nextAt, since + RdSettings.OPEN_DEADLINE);
    }
}
