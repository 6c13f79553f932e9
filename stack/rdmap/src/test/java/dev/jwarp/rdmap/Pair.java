package dev.jwarp.rdmap;

import dev.jwarp.llp.LlpEnd;
import dev.jwarp.llp.ReadyToReceive;

/** Two streams back to back: each receives the ULPDUs of the other; connections end as in TCP. */
final class Pair {
    final Station a;
    final Station b;
    private boolean aEndTold;
    private boolean bEndTold;

    Pair(Station a, Station b) {
        this.a = a;
        this.b = b;
    }

    /** Two stations, connected, with these read depths on both sides; {@code a} is the initiator. */
    static Pair connected(int depth) {
        return connected(new Station(), new Station(), depth, depth, ReadyToReceive.NONE);
    }

    static Pair connected(Station a, Station b, int requestsOfA, int requestsOfB, ReadyToReceive readyToReceive) {
        a.establish(true, requestsOfB, requestsOfA, readyToReceive);
        b.establish(false, requestsOfA, requestsOfB, readyToReceive);
        return new Pair(a, b);
    }

    /** Moves ULPDUs and ends until both sides are quiet. */
    Pair run() {
        return run(0);
    }

    Pair run(long now) {
        for (int i = 0; i < 1_000_000; i++) {
            boolean moved = step(a, b, now);
            moved |= step(b, a, now);
            moved |= ends(now);
            if (!moved) {
                return this;
            }
        }
        throw new AssertionError("the two never become quiet");
    }

    private boolean step(Station from, Station to, long now) {
        boolean moved = from.end == null && from.lower.pollAll(from.stream, now) > 0;
        if (from.lower.waiting() > 0 && from.end == null) {
            from.lower.transmit(from.stream, now);
            moved = true;
        }
        return deliver(from, to) || moved;
    }

    /** Delivers the ULPDUs on the wire. */
    static boolean deliver(Station from, Station to) {
        boolean moved = false;
        byte[] ulpdu;
        while ((ulpdu = from.lower.wire.poll()) != null) {
            moved = true;
            if (to.end == null && !to.lower.closeRequested) {
                to.take(ulpdu);
            }
        }
        return moved;
    }

    private boolean ends(long now) {
        boolean moved = false;
        if ((a.lower.aborted || b.lower.aborted) && (a.end == null || b.end == null)) {
            close(a, a.lower.aborted ? LlpEnd.ABORTED : LlpEnd.RESET, now);
            close(b, b.lower.aborted ? LlpEnd.ABORTED : LlpEnd.RESET, now);
            return true;
        }
        if (a.lower.closeRequested && !aEndTold) {
            aEndTold = true;
            moved = true;
            if (!b.lower.closeRequested) {
                b.stream.onPeerClosed(now);
            }
        }
        if (b.lower.closeRequested && !bEndTold) {
            bEndTold = true;
            moved = true;
            if (!a.lower.closeRequested) {
                a.stream.onPeerClosed(now);
            }
        }
        if (aEndTold && bEndTold && (a.end == null || b.end == null)) {
            close(a, LlpEnd.GRACEFUL, now);
            close(b, LlpEnd.GRACEFUL, now);
            moved = true;
        }
        return moved;
    }

    private static void close(Station station, LlpEnd end, long now) {
        if (station.end == null) {
            station.stream.onClosed(end, now);
        }
    }
}
