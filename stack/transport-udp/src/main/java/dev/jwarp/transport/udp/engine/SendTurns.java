package dev.jwarp.transport.udp.engine;

import dev.jwarp.transport.udp.wire.DatagramLength;
import org.jspecify.annotations.Nullable;

/**
 * The queues that may have something to send, in order: each has a turn of so many bytes as its weight says, and goes to the
 * end if it has more (deficit round robin, datagram-iWARP §6, DG-6-5). What a turn sends beyond that is taken off its next one, so in the
 * long run the bytes are as the weights, whatever the datagrams are. The links are in the queue pairs themselves, so nothing is
 * allocated. Owner only.
 */
final class SendTurns {
    /** Bytes of a turn of weight 1: no less than is sent at a time, so that no turn is without a datagram. */
    static final int QUANTUM = DatagramLength.LARGEST;

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

    /** {@return whose turn it is; null if none waits} It waits no longer: {@link #sent} follows. */
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
            if (turn.credit <= 0) {
                turn.credit += turn.upper.weight() * QUANTUM;
            }
        }
        return turn;
    }

    /**
     * It has sent so many bytes.
     *
     * @param more whether it may have more to send: it goes on while its turn lasts. One that has no more loses the rest
     */
    void sent(Attachment turn, int bytes, boolean more) {
        turn.credit = Math.max(1 - QUANTUM, turn.credit - bytes);
        if (!more) {
            turn.credit = Math.min(0, turn.credit);
        } else if (turn.credit > 0 && !turn.inTurn) {
            turn.inTurn = true;
            turn.nextInTurn = first;
            first = turn;
            if (last == null) {
                last = turn;
            }
        } else {
            add(turn);
        }
    }
}
