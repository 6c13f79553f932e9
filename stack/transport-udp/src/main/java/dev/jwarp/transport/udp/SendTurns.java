package dev.jwarp.transport.udp;

import org.jspecify.annotations.Nullable;

/**
 * The queues that may have something to send, in order: each has one turn, and goes to the end if it has more
 * (datagram-iWARP §6). The links are in the queue pairs themselves, so nothing is allocated. Owner only.
 */
final class SendTurns {
    private @Nullable Attachment first;
    private @Nullable Attachment last;

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

    /** {@return whose turn it is; null if none waits} It waits no longer. */
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
