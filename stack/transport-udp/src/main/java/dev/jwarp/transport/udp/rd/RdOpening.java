package dev.jwarp.transport.udp.rd;

/** What a channel has to know only while it is being opened by this side. */
final class RdOpening {
    final int messageId;
    /** The peer's tag of the channel that is opened anew, or 0. */
    final int previousTag;
    /** Our own tag of that channel, or 0: what still comes with it is dropped in silence. */
    final int oldTag;

    /** When the first one went out; later, if the port did not run meanwhile. What is over by then was the peer's silence. */
    private long since;

    int challenges;
    private int tries;
    /** More than one RD-OPEN may be what an RD-ACCEPT answers. */
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

    /** An RD-OPEN goes out. */
    void sent(long nowNanos) {
        since = tries == 0 ? nowNanos : since + nowNanos - wanted;
        tries++;
        ambiguous |= tries > 1;
        sentAt = nowNanos;
        nextAt = nowNanos + interval;
        interval = Math.min(RdSettings.OPEN_MOST, interval * 2); // §14 (DG-11.1-6): 100 ms x 2, at most 1 s
    }

    /** {@return whether it is time to send it again} Says so once. */
    boolean repeats(long nowNanos) {
        if (nowNanos < nextAt) {
            return false;
        }
        wanted = nextAt;
        nextAt = Long.MAX_VALUE;
        return true;
    }

    /** A CHALLENGE came: it is asked anew. */
    void challenged() {
        challenges++;
        ambiguous |= challenges > 1; // the RD-OPEN with the cookie of the first one is on its way still
        tries = 0;
    }

    /** {@return what the RD-ACCEPT that comes now says of the round trip, nanoseconds; 0 if it may answer another RD-OPEN (DG-11.3-11)} */
    long roundTrip(long nowNanos) {
        return ambiguous ? 0 : Math.max(1, nowNanos - sentAt);
    }

    /** {@return whether the peer has been asked for long enough} Not while it is to be asked once more. */
    boolean expired(long nowNanos) {
        return nextAt != Long.MAX_VALUE && nowNanos - since >= RdSettings.OPEN_DEADLINE;
    }

    /** {@return when something is to be done} */
    long nextTimeout() {
        return nextAt == Long.MAX_VALUE ? nextAt : Math.min(nextAt, since + RdSettings.OPEN_DEADLINE);
    }
}
