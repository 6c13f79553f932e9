package dev.jwarp.tools.loss;

import dev.jwarp.tools.loss.Board.Cell;
import java.util.concurrent.TimeUnit;

/**
 * Flow control of the source, by the target's progress on the board: UD has none. All losses are then losses of the
 * measured network, and none comes from a full socket buffer or a missing receive. One thread.
 */
final class Flow {
    /** A datagram is lost if it does not arrive within this time and the time of the path, while the target is idle. */
    private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int IDLE_TIMES = 3;
    /** The kernel counts its own data, too: about twice the bytes of a datagram. */
    private static final int SHARE_OF_BUFFER = 6;

    private final LossTrial trial;
    private final Board board;
    private final long mostDatagrams;
    private final int mostReads;
    private final long stallNanos;
    private long settledFloor;
    private long datagramFloor;
    private long seen = -1;
    private long since;
    private long idleThen;

    Flow(LossTrial trial, Board board, int receiveBuffer) {
        this.trial = trial;
        this.board = board;
        stallNanos = STALL_NANOS + TimeUnit.MILLISECONDS.toNanos(trial.path().waitMillis());
        long room = Math.max(1, receiveBuffer / SHARE_OF_BUFFER / trial.mtu());
        mostDatagrams = Math.max(trial.datagrams(), Math.min(room, (long) trial.window() * trial.datagrams()));
        mostReads = (int) Math.max(1, Math.min(trial.underWay(), room / trial.datagrams()));
    }

    /**
     * {@return whether one more may be posted}
     *
     * @param posted so far
     * @param completed of them, at the source
     */
    boolean mayPost(int posted, int completed) {
        if (trial.service().read()) {
            return posted - completed < mostReads;
        }
        long settled = board.get(Cell.SETTLED);
        boolean slots = posted - settled - settledFloor < trial.underWay();
        if (!trial.service().unreliable()) {
            return slots;
        }
        long datagrams = board.get(Cell.DATAGRAMS);
        boolean room = trial.single() || expected(posted) - datagrams - datagramFloor < mostDatagrams;
        if (slots && room) {
            seen = -1;
            return true;
        }
        stalled(posted, settled, datagrams);
        return false;
    }

    /** {@return the datagrams that are expected in the end} */
    private long expected(int posted) {
        return (long) (posted * (long) trial.datagrams() * (1 - trial.path().loss()));
    }

    /** Gives up messages that are missing for too long, so that they no longer count against the limits. */
    private void stalled(int posted, long settled, long datagrams) {
        long now = System.nanoTime();
        if (seen != settled + datagrams) {
            seen = settled + datagrams;
            since = now;
            idleThen = board.get(Cell.IDLE);
            return;
        }
        if (board.get(Cell.IDLE) - idleThen < IDLE_TIMES) {
            return; // The target waits for a processor: its socket may hold the missing datagrams.
        }
        long idle = TimeUnit.MILLISECONDS.toNanos(trial.idleMillis());
        if (now - since > stallNanos) {
            datagramFloor = expected(posted) - datagrams;
        }
        if (now - since > (trial.single() ? stallNanos : stallNanos + 2 * idle)) {
            settledFloor = posted - settled;
        }
    }
}
