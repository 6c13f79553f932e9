package dev.jwarp.transport.udp;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Who may have something to send, in order: each has one turn, and goes to the end if it has more (datagram-iWARP §6). Any
 * thread rings; the rest is the owner's. The links are in the queue pairs themselves, so nothing is allocated.
 */
final class Turns {
    private final AtomicReference<@Nullable Attachment> rung = new AtomicReference<>();
    private @Nullable Attachment first;
    private @Nullable Attachment last;

    /** Once per ring: {@link Attachment#heard} comes before the next. Any thread. */
    void ring(Attachment attachment) {
        Attachment next;
        do {
            next = rung.get();
            attachment.nextRung = next;
        } while (!rung.compareAndSet(next, attachment));
    }

    /** {@return the first of those that were rung, to be followed with {@link #next}} */
    @Nullable
    Attachment takeRung() {
        return rung.get() == null ? null : rung.getAndSet(null);
    }

    @Nullable
    static Attachment next(Attachment attachment) {
        Attachment next = attachment.nextRung;
        attachment.nextRung = null;
        return next;
    }

    /** To the end, unless it waits already. */
    void add(Attachment attachment) {
        if (attachment.inTurn) {
            return;
        }
        attachment.inTurn = true;
        Attachment end = last;
        if (end == null) {
            first = attachment;
        } else {
            end.nextInTurn = attachment;
        }
        last = attachment;
    }

    /** {@return whose turn it is; null if nobody waits} It waits no longer. */
    @Nullable
    Attachment poll() {
        Attachment turn = first;
        if (turn != null) {
            first = turn.nextInTurn;
            if (first == null) {
                last = null;
            }
            turn.nextInTurn = null;
            turn.inTurn = false;
        }
        return turn;
    }
}
