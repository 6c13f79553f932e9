package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import org.jspecify.annotations.Nullable;

/**
 * The peers that have something to send, in turn: each sends as many bytes as its weight says (deficit round robin,
 * datagram-iWARP §6, DG-6-5), and what a turn sends beyond that is taken off the next one. A peer that is not admitted
 * now stands aside until the lower layer asks anew, so a peer that takes nothing does not block the others. Owner thread
 * only; allocates nothing.
 */
final class PeerTurns {
    /** Headers of IP, UDP, shim and DDP, and the CRC: what a segment costs beside its payload. */
    private static final int HEADERS = 74;

    /** What a datagram of the usual path holds. */
    private static final int USUAL = 1_472;

    /** So that no sum is more than an int. */
    private static final int LONGEST = 1 << 24;

    private final int quantum;
    private final LinkedPlaces<PeerTurn> line = new LinkedPlaces<>();
    private final LinkedPlaces<PeerTurn> aside = new LinkedPlaces<>();

    PeerTurns(int segmentsPerTurn) {
        quantum = Math.min(segmentsPerTurn * USUAL, LONGEST);
    }

    /** It has work: it stands in line from now on, if it does not yet. */
    void add(PeerTurn turn) {
        if (!turn.queued) {
            turn.queued = true;
            line.add(turn);
        }
    }

    /** {@return whether no peer has anything to send} */
    boolean isEmpty() {
        return line.size() + aside.size() == 0;
    }

    /** {@return whose turn it is, or null} */
    @Nullable
    PeerTurn current() {
        PeerTurn turn = line.first();
        while (turn != null && turn.credit <= 0) {
            turn.credit += quantum * turn.weight();
            if (turn.credit <= 0) { // the last one's segment was longer than a turn
                move(turn, line);
                turn = line.first();
            }
        }
        return turn;
    }

    private void move(PeerTurn turn, LinkedPlaces<PeerTurn> to) {
        line.remove(turn);
        to.add(turn);
    }

    /** {@return how many segments of that size the current one may send, one at least, before others have their turn} */
    static int left(PeerTurn turn, int segmentSize) {
        return 1 + Math.max(0, turn.credit - 1) / (segmentSize + HEADERS);
    }

    /** The current one has sent so many segments with so many bytes in all. */
    void sent(PeerTurn turn, int count, long bytes) {
        turn.credit -= (int) bytes + count * HEADERS;
        if (turn.credit <= 0) {
            turn.pauses();
            move(turn, line);
        }
    }

    /** The current one has no work any more. */
    void finish(PeerTurn turn) {
        line.remove(turn);
        turn.queued = false;
        turn.credit = 0;
    }

    /** The current one is not admitted now. */
    void standAside(PeerTurn turn) {
        turn.pauses();
        move(turn, aside);
    }

    /** The lower layer has heard that there is nothing now: those aside stand in line again when it asks the next time. */
    void again() {
        for (PeerTurn turn = aside.poll(); turn != null; turn = aside.poll()) {
            line.add(turn);
        }
    }
}
