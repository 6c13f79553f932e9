package dev.jwarp.rdmap.datagram;

import dev.jwarp.base.LinkedPlaces;
import org.jspecify.annotations.Nullable;

/**
 * Deficit round robin over the peers with something to send (datagram-iWARP §6): each turn sends bytes in
 * proportion to its weight, and excess bytes are deducted from the next turn. A peer that the lower layer does not
 * admit is set aside until the next poll, so a blocked peer does not block the others. Owner thread only; allocates
 * nothing.
 */
final class PeerTurns {
    /** Headers of IP, UDP, shim and DDP, and the CRC: the overhead of a segment. */
    private static final int HEADERS = 74;

    /** Payload of a datagram on an Ethernet path. */
    private static final int USUAL = 1_472;

    /** Limit that keeps all sums within an int. */
    private static final int LONGEST = 1 << 24;

    /** Time after which a peer that stands aside is asked for again although others have work, nanoseconds. */
    private static final long ASIDE_NANOS = 1_000_000;

    private final int quantum;
    private final LinkedPlaces<PeerTurn> line = new LinkedPlaces<>();
    private final LinkedPlaces<PeerTurn> aside = new LinkedPlaces<>();

    /** The time at which the first of those aside left the line. */
    private long asideSince;

    PeerTurns(int segmentsPerTurn) {
        quantum = Math.min(segmentsPerTurn * USUAL, LONGEST);
    }

    /** Queues a turn with work, unless it is queued already. */
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

    /** {@return the current turn, or null} */
    @Nullable
    PeerTurn current() {
        PeerTurn turn = line.first();
        while (turn != null && turn.credit <= 0) {
            turn.credit += quantum * turn.weight();
            if (turn.credit <= 0) { // its last segment was longer than a turn
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

    /** {@return the number of segments of this size left in the current turn, at least one} */
    static int left(PeerTurn turn, int segmentSize) {
        return 1 + Math.max(0, turn.credit - 1) / (segmentSize + HEADERS);
    }

    /** The current turn has sent {@code count} segments with {@code bytes} of payload in total. */
    void sent(PeerTurn turn, int count, long bytes) {
        turn.credit -= (int) bytes + count * HEADERS;
        if (turn.credit <= 0) {
            turn.pauses();
            move(turn, line);
        }
    }

    /** The current turn has no more work. */
    void finish(PeerTurn turn) {
        line.remove(turn);
        turn.queued = false;
        turn.credit = 0;
    }

    /** The current turn cannot send now: the lower layer does not admit it, or its Read waits for an earlier one. */
    void standAside(PeerTurn turn, long nowNanos) {
        if (aside.size() == 0) {
            asideSince = nowNanos;
        }
        turn.pauses();
        move(turn, aside);
    }

    /** As {@link #again} if a turn has been aside for long: others that always have work do not keep it there. */
    void againAfterLong(long nowNanos) {
        if (aside.size() > 0 && nowNanos - asideSince >= ASIDE_NANOS) {
            again();
        }
    }

    /** Queues the turns set aside again: a poll found nothing else to send, or a Read has ended. */
    void again() {
        for (PeerTurn turn = aside.poll(); turn != null; turn = aside.poll()) {
            line.add(turn);
        }
    }
}
