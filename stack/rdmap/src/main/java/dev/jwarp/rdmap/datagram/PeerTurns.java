package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.Nullable;

/**
 * The peers that have something to send, in turn, for so many bytes as their weight says (deficit round robin, datagram-iWARP
 * §6, DG-6-5): what a turn sends beyond that is taken off the next one. One that is not admitted now waits aside and costs nothing
 * until the lower layer asks anew, so one peer that takes nothing does not stand before the others. Owner thread only; allocates nothing.
 */
final class PeerTurns {
    /** Headers of IP, UDP, shim and DDP, and the CRC: what a segment costs beside its payload. */
    private static final int HEADERS = 74;

    /** What a datagram of the usual path holds. */
    private static final int USUAL = 1_472;

    /** So that no sum is more than an int. */
    private static final int LONGEST = 1 << 24;

    private final int quantum;
    private @Nullable PeerTurn first;
    private @Nullable PeerTurn last;
    private @Nullable PeerTurn aside;
    private @Nullable PeerTurn lastAside;

    PeerTurns(int segmentsPerTurn) {
        quantum = Math.min(segmentsPerTurn * USUAL, LONGEST);
    }

    /** It has work: it stands in line from now on, if it does not yet. */
    void add(PeerTurn turn) {
        if (!turn.queued) {
            turn.queued = true;
            append(turn);
        }
    }

    private void append(PeerTurn turn) {
        turn.nextTurn = null;
        PeerTurn end = last;
        if (end == null) {
            first = turn;
        } else {
            end.nextTurn = turn;
        }
        last = turn;
    }

    /** {@return whose turn it is, or null} */
    @Nullable
    PeerTurn current() {
        PeerTurn turn = first;
        while (turn != null && turn.credit <= 0) {
            turn.credit += quantum * turn.weight();
            if (turn.credit <= 0) { // the last one's segment was longer than a turn
                append(shifted(turn));
                turn = first;
            }
        }
        return turn;
    }

    /** {@return how many segments of that size it may send, one at least, before others have their turn} */
    int left(int segmentSize) {
        PeerTurn turn = first;
        return turn == null ? 1 : 1 + Math.max(0, turn.credit - 1) / (segmentSize + HEADERS);
    }

    /** It has sent so many segments with so many bytes in all. */
    void sent(int count, long bytes) {
        PeerTurn turn = first;
        if (turn != null) {
            turn.credit -= (int) bytes + count * HEADERS;
            if (turn.credit <= 0) {
                turn.pauses();
                append(shifted(turn));
            }
        }
    }

    /** It has no work any more. */
    void finish() {
        PeerTurn turn = shift();
        if (turn != null) {
            turn.queued = false;
            turn.credit = 0;
        }
    }

    /** It is not admitted now. */
    void standAside() {
        PeerTurn turn = shift();
        if (turn != null) {
            turn.pauses();
            PeerTurn end = lastAside;
            if (end == null) {
                aside = turn;
            } else {
                end.nextTurn = turn;
            }
            lastAside = turn;
        }
    }

    /** The lower layer has heard that there is nothing now: those aside stand in line again when it asks the next time. */
    void again() {
        PeerTurn turn = aside;
        if (turn == null) {
            return;
        }
        PeerTurn end = last;
        if (end == null) {
            first = turn;
        } else {
            end.nextTurn = turn;
        }
        last = lastAside;
        aside = null;
        lastAside = null;
    }

    private @Nullable PeerTurn shift() {
        PeerTurn turn = first;
        return turn == null ? null : shifted(turn);
    }

    private PeerTurn shifted(PeerTurn turn) {
        first = turn.nextTurn;
        if (first == null) {
            last = null;
        }
        turn.nextTurn = null;
        return turn;
    }
}
