package dev.jwarp.tools.proxy;

import dev.jwarp.base.SourceKey;
import dev.jwarp.base.SplitMix;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Detects datagrams in a loop. If proxies lead to each other, no program answers, and each lap of a datagram begins a
 * session, because the datagram comes from a new port of the other proxy. Sessions of one host that begin with the same
 * datagram in quick succession are therefore laps. If the target answers, there is no loop.
 */
final class Laps {
    /**
     * Most successive sessions that do not count as a loop: clients of one host may send the same, and a target may be
     * silent.
     */
    static final int MOST_LAPS = 32;

    /**
     * From this lap on every datagram is recorded, because later datagrams of a session make the same laps as its first
     * one.
     */
    private static final int SUSPECT = 4;

    /** Most recorded datagrams and ends; all are discarded when there is one more. */
    static final int MOST_MARKS = 4_096;

    /** Longest time of a lap. */
    private static final long LAP_NANOS = 1_000_000_000;

    private final CRC32C sum = new CRC32C();
    /** The last lap of a datagram, by hash of its host and content. */
    private final Map<Long, Lap> laps = new HashMap<>();
    /** Sources whose datagrams have exceeded the limit of laps. */
    private final Set<InetSocketAddress> ends = new HashSet<>();

    private boolean suspected;

    /**
     * The last lap of a datagram.
     *
     * @param number of the lap, from 1
     * @param begun when the lap began
     * @param seen when the datagram was last seen, in any session
     */
    private record Lap(int number, long begun, long seen) {}

    /** {@return whether a datagram that would begin a session has made too many laps} */
    boolean tooMany(InetSocketAddress source, ByteBuffer datagram, long now) {
        long mark = mark(source, datagram);
        Lap before = last(mark, now);
        boolean again = now - before.begun < LAP_NANOS;
        if ((again && before.number == MOST_LAPS) || (now - before.seen < LAP_NANOS && ends.contains(source))) {
            forgetIfFull(ends.size());
            ends.add(source);
            return true;
        }
        ends.remove(source);
        Lap lap = new Lap(again ? before.number + 1 : 1, now, now);
        suspected |= lap.number >= SUSPECT;
        put(mark, lap);
        return false;
    }

    /** Records a datagram of an existing session, which returns soon if there is a loop. */
    void goesOn(InetSocketAddress source, ByteBuffer datagram, long now) {
        if (suspected) {
            long mark = mark(source, datagram);
            Lap before = last(mark, now);
            put(mark, new Lap(before.number, before.begun, now));
        }
    }

    /** Discards all records, because the target has answered and there is no loop. */
    void forget() {
        laps.clear();
        ends.clear();
        suspected = false;
    }

    /** {@return the last lap of a datagram; an expired one if there was none} */
    private Lap last(long mark, long now) {
        Lap known = laps.get(mark);
        return known == null ? new Lap(0, now - LAP_NANOS, now - LAP_NANOS) : known;
    }

    private long mark(InetSocketAddress source, ByteBuffer datagram) {
        sum.reset();
        sum.update(datagram.duplicate());
        return SplitMix.hash(SourceKey.of(source), sum.getValue() << Integer.SIZE | datagram.remaining());
    }

    private void put(long mark, Lap lap) {
        forgetIfFull(laps.size());
        laps.put(mark, lap);
    }

    private void forgetIfFull(int size) {
        if (size == MOST_MARKS) {
            forget();
        }
    }
}
