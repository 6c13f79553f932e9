package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.TimerHeap;
import dev.jwarp.llp.datagram.DatagramPeer;
import org.jspecify.annotations.Nullable;

/** A Read of ours that is not answered. Reused; owner thread only. */
final class OutstandingRead extends TimerHeap.Entry {
    @Nullable
    DatagramOperation operation;

    int messageId;

    long size;

    /** When its request has left. */
    long askedAt;

    int challenges;
    /** Whether it waits to be asked once more. */
    boolean again;

    // The cookie that its request showed last; zeros if none.
    private long cookieHigh;
    private long cookieLow;

    /** What has arrived, once a segment of an answer of several has. */
    @Nullable
    MessageRecord record;

    /** The chain of the table, or of free ones. */
    @Nullable
    OutstandingRead link;

    /** Begins with nothing. */
    void begin(DatagramOperation of, int id) {
        operation = of;
        messageId = id;
        size = of.memory().length();
        challenges = 0;
        again = false;
        cookieHigh = 0;
        cookieLow = 0;
        record = null;
    }

    /** Its request is being written, with the cookie for that peer, if there is one. */
    void asked(@Nullable DatagramPeer shown) {
        again = false;
        cookieHigh = shown == null ? 0 : shown.cookieHigh();
        cookieLow = shown == null ? 0 : shown.cookieLow();
    }

    /** {@return whether its request showed that cookie} */
    boolean showed(long high, long low) {
        return cookieHigh == high && cookieLow == low;
    }
}
