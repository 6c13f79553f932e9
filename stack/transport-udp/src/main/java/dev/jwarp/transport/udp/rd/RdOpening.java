package dev.jwarp.transport.udp.rd;

/** What a channel has to know only while it is being opened by this side. */
final class RdOpening {
    final int messageId;
    /** The peer's tag of the channel that is opened anew, or 0. */
    final int previousTag;
    /** Our own tag of that channel, or 0: what still comes with it is dropped in silence. */
    final int oldTag;

    final long since;

    int tries;
    int challenges;
    long sentAt;
    long nextAt = Long.MAX_VALUE;

    private long interval = RdSettings.OPEN_FIRST;

    RdOpening(int messageId, int previousTag, int oldTag, long nowNanos) {
        this.messageId = messageId;
        this.previousTag = previousTag;
        this.oldTag = oldTag;
        since = nowNanos;
    }

    /** An RD-OPEN goes out. */
    void sent(long nowNanos) {
        tries++;
        sentAt = nowNanos;
        nextAt = nowNanos + interval;
        interval = Math.min(RdSettings.OPEN_MOST, interval * 2); // §14 (DG-11.1-6): 100 ms x 2, at most 1 s
    }

    /** {@return when something is to be done} */
    long nextTimeout() {
        return Math.min(nextAt, since + RdSettings.OPEN_DEADLINE);
    }
}
