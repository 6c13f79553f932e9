package dev.jwarp.transport.udp.engine;

import dev.jwarp.transport.udp.wire.DatagramLength;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The queue pairs that may have data to send (deficit round robin, datagram-iWARP §6). A turn has bytes in
 * proportion to the weight; a queue pair with more to send goes to the end. Bytes beyond the turn are subtracted from
 * the next one, so in the long run the bytes are in proportion to the weights, whatever the sizes of datagrams. Allocates
 * only to grow. Owner only.
 */
final class SendTurns {
    /** Bytes of a turn of weight 1: at least the largest batch, so that each turn sends a datagram. */
    static final int QUANTUM = DatagramLength.LARGEST;

    private final ArrayDeque<Attachment> waiting = new ArrayDeque<>();

    /** Appends a queue pair, unless it is in the list already. */
    void add(Attachment attachment) {
        if (!attachment.inTurn) {
            attachment.inTurn = true;
            waiting.add(attachment);
        }
    }

    /**
     * {@return the queue pair whose turn it is, removed from the list; null if there is none} {@link #sent} follows.
     */
    @Nullable
    Attachment poll() {
        Attachment turn = waiting.poll();
        if (turn != null) {
            turn.inTurn = false;
            if (turn.credit <= 0) {
                turn.credit += turn.upper.weight() * QUANTUM;
            }
        }
        return turn;
    }

    /**
     * A queue pair has sent bytes in its turn.
     *
     * @param more whether it may have more to send; if so, its turn continues while bytes are left, else the rest of
     *     the turn is forfeited
     */
    void sent(Attachment turn, int bytes, boolean more) {
        turn.credit = Math.max(1 - QUANTUM, turn.credit - bytes);
        if (!more) {
            turn.credit = Math.min(0, turn.credit);
        } else if (turn.credit > 0 && !turn.inTurn) {
            turn.inTurn = true;
            waiting.addFirst(turn);
        } else {
            add(turn);
        }
    }
}
