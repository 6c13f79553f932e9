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
 * Finds datagrams that come back. Where proxies lead to each other no program answers, and each lap of a datagram begins a session, as it comes from a port that the other proxy
 * has opened for it. So sessions of one host that begin with the same datagram, each soon after the one before, are laps. Where the target answers there is no loop.
 */
final class Laps {
    /** Sessions in a row that are not taken for a loop yet: clients of one host may say the same, and a target may be silent. */
    static final int MOST_LAPS = 32;

    /** From this lap on each datagram is remembered, as those behind the first one make the same laps. */
    private static final int SUSPECT = 4;

    /** Datagrams and ends that are remembered; all are forgotten when there is one more. */
    static final int MOST_MARKS = 4_096;

    /** A lap takes less. */
    private static final long LAP_NANOS = 1_000_000_000;

    private final CRC32C sum = new CRC32C();
    /** By host and content of a datagram. */
    private final Map<Long, Lap> laps = new HashMap<>();
    /** Sources whose datagrams made the last lap there may be. */
    private final Set<InetSocketAddress> ends = new HashSet<>();

    private boolean suspected;

    /** The last lap of a datagram, counted from 1; when it began; and when the datagram was seen last, in any session. */
    private record Lap(int number, long begun, long seen) {}

    /** {@return whether a datagram that would begin a session has gone round too often} */
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

    /** A datagram of a session goes on; where there is a loop, it comes to its end soon. */
    void goesOn(InetSocketAddress source, ByteBuffer datagram, long now) {
        if (suspected) {
            long mark = mark(source, datagram);
            Lap before = last(mark, now);
            put(mark, new Lap(before.number, before.begun, now));
        }
    }

    /** The target has answered: so there is no loop. */
    void forget() {
        laps.clear();
        ends.clear();
        suspected = false;
    }

    /** {@return the last lap of a datagram; too long ago if there was none} */
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
