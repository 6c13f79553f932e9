package dev.jwarp.rdmap.datagram;

import org.jspecify.annotations.Nullable;

/**
 * The peers that have something to send, in turn. One that is not admitted now waits aside and costs nothing until the lower
 * layer asks anew, so one peer that takes nothing does not stand before the others. Owner thread only; allocates nothing.
 */
final class PeerTurns {
    private final int segmentsPerTurn;
    private @Nullable PeerTurn first;
    private @Nullable PeerTurn last;
    private @Nullable PeerTurn aside;
    private @Nullable PeerTurn lastAside;
    private int segments;

    PeerTurns(int segmentsPerTurn) {
        this.segmentsPerTurn = segmentsPerTurn;
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
        return first;
    }

    /** {@return how many segments it may send before others have their turn} */
    int left() {
        return segmentsPerTurn - segments;
    }

    /** It has sent so many segments, no more than were {@link #left}. */
    void sent(int count) {
        segments += count;
        if (segments >= segmentsPerTurn) {
            PeerTurn turn = shift();
            if (turn != null) {
                append(turn);
            }
        }
    }

    /** It has no work any more. */
    void finish() {
        PeerTurn turn = shift();
        if (turn != null) {
            turn.queued = false;
        }
    }

    /** It is not admitted now. */
    void standAside() {
        PeerTurn turn = shift();
        if (turn != null) {
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
        segments = 0;
        PeerTurn turn = first;
        if (turn != null) {
            first = turn.nextTurn;
            if (first == null) {
                last = null;
            }
            turn.nextTurn = null;
        }
        return turn;
    }
}
