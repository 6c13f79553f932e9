package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Packet.Tcp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Puts the segments of one direction of a TCP connection in order: repeated bytes are passed on once, early bytes are
 * held until the missing ones have come, and bytes that never come are reported as a gap. Holds a bounded number of
 * bytes.
 */
final class StreamOrder {
    /** The receiver of the ordered bytes. */
    interface Sink {
        /** Bytes of a segment: {@code length} of its payload from {@code skip} on. */
        void octets(Tcp segment, int skip, int length);

        /**
         * Bytes that are not in the capture.
         *
         * @param snapLength true if the frame was captured, but cut by a snapshot length
         */
        void gap(long length, boolean snapLength);

        /** A segment at the end of the capture is left out, because it is far from all others. */
        void leftOut(Tcp segment);

        /** The stream has ended: by FIN, or because the capture has no more of it. */
        void end(boolean fin);
    }

    /** Bytes held for one direction before missing bytes count as lost by the capture. */
    static final int MOST_HELD = 1 << 20;
    /** Segments to wait for after the receiver has acknowledged missing bytes: captures reorder a few segments. */
    private static final int PATIENCE = 64;
    /** Memory for a held segment in addition to its payload. */
    private static final int OVERHEAD = 256;
    /**
     * TCP's largest window is 2^30: a segment farther off belongs to another connection, or follows a gap of the
     * capture.
     */
    private static final long FAR = 1L << 30;
    /** Bytes within this distance before the stream count as repeated, even if the capture begins after them. */
    private static final long OLD = 1L << 26;
    /** So many consecutive distant segments count as the stream after a gap. */
    private static final int ELSEWHERE = 4;

    private final Sink sink;
    private final Budget budget;
    private final TreeMap<Long, Tcp> held = new TreeMap<>();
    /** Distant segments, each of which begins where the previous one ends. */
    private final List<Tcp> elsewhere = new ArrayList<>();

    private boolean started;
    private boolean fromSyn;
    private boolean ended;
    /** The next sequence number; its low 32 bits are those on the wire. */
    private long next;

    /** Where the stream began, or continued after the last gap larger than {@link #FAR}. */
    private long first;

    private long finAt = -1;
    private long heldOctets;
    private int sinceAcknowledged;

    StreamOrder(Sink sink, Budget budget) {
        this.sink = sink;
        this.budget = budget;
    }

    /** True if the stream is captured from its first byte. */
    boolean fromSyn() {
        return fromSyn;
    }

    /** True if the segment opens another connection between the same ports. */
    boolean isAnotherOpening(Tcp segment) {
        return segment.has(Tcp.SYN)
                && started
                && (ended
                        || Math.abs(position(segment.sequence()) + 1 - next) > FAR
                        || (segment.sequence() + 1 != (int) next && fromSyn && position(segment.sequence()) >= next));
    }

    /** True if the other side has acknowledged bytes that this side has not passed on yet. */
    boolean behind(Tcp other) {
        // A FIN is acknowledged like one more byte.
        long last = finAt < 0 ? Long.MAX_VALUE : finAt;
        return started && other.has(Tcp.ACK) && Math.min(position(other.acknowledged()), last) > next;
    }

    private long position(int sequence) {
        return next + (sequence - (int) next);
    }

    /** Takes a segment of this direction. */
    void add(Tcp segment) {
        if (!started) {
            started = true;
            fromSyn = segment.has(Tcp.SYN);
            next = (1L << 32) + (segment.sequence() & 0xFFFF_FFFFL) + (fromSyn ? 1 : 0);
            first = next;
        }
        if (ended) {
            return;
        }
        long at = position(segment.sequence()) + (segment.has(Tcp.SYN) ? 1 : 0);
        // Bytes farther back than a window are no repetitions: they follow a gap of almost 2^32 bytes.
        if (at - next > FAR || next - at > Math.max(OLD, Math.min(FAR, next - first))) {
            addElsewhere(segment);
            return;
        }
        long end = at + segment.length() + segment.cut();
        if (end > next) {
            forgetElsewhere();
        }
        if (segment.has(Tcp.FIN) && finAt < 0) {
            finAt = end;
        }
        if (end > next) {
            if (at <= next) {
                pass(segment, at);
            } else {
                hold(segment, at);
            }
        }
        drain();
        if (heldOctets > MOST_HELD) {
            skip();
        }
    }

    private void addElsewhere(Tcp segment) {
        if (segment.length() + segment.cut() == 0 && !segment.has(Tcp.FIN)) {
            return;
        }
        if (!elsewhere.isEmpty()) {
            Tcp last = elsewhere.get(elsewhere.size() - 1);
            if (segment.sequence() != last.sequence() + last.length() + last.cut()) {
                forgetElsewhere();
            }
        }
        elsewhere.add(segment.alone());
        count(segment.length() + OVERHEAD);
        if (elsewhere.size() == ELSEWHERE) {
            goElsewhere();
        }
    }

    private void forgetElsewhere() {
        elsewhere.forEach(one -> count(-one.length() - OVERHEAD));
        elsewhere.clear();
    }

    /** The stream continues after a gap, perhaps of more than 4 GiB: its length is known modulo 2^32. */
    private void goElsewhere() {
        hurry();
        List<Tcp> there = List.copyOf(elsewhere);
        forgetElsewhere();
        if (ended) {
            return;
        }
        long missing = there.get(0).sequence() - (int) next & 0xFFFF_FFFFL;
        next += missing;
        first = next;
        finAt = -1;
        sink.gap(missing, false);
        there.forEach(this::add);
    }

    /** Records an acknowledgement of the other side. */
    void acknowledged(Tcp other) {
        if (held.isEmpty() || !other.has(Tcp.ACK)) {
            sinceAcknowledged = 0;
        } else if (position(other.acknowledged()) >= held.firstKey() && ++sinceAcknowledged > PATIENCE) {
            sinceAcknowledged = 0;
            skip();
        }
    }

    private void hold(Tcp segment, long at) {
        Tcp before = held.get(at);
        if (before != null && before.length() + before.cut() >= segment.length() + segment.cut()) {
            return;
        }
        held.put(at, segment.alone());
        count(segment.length() + OVERHEAD);
        if (before != null) {
            count(-before.length() - OVERHEAD);
        }
    }

    private void count(int octets) {
        heldOctets += octets;
        budget.hold(octets);
    }

    private void drain() {
        while (!held.isEmpty() && held.firstKey() <= next) {
            Map.Entry<Long, Tcp> first = held.firstEntry();
            long at = first.getKey();
            Tcp segment = first.getValue();
            held.remove(at);
            count(-segment.length() - OVERHEAD);
            if (at + segment.length() + segment.cut() > next) {
                pass(segment, at);
            }
        }
        if (finAt >= 0 && next >= finAt && !ended) {
            ended = true;
            sink.end(true);
        }
    }

    private void pass(Tcp segment, long at) {
        int skip = (int) (next - at);
        int length = segment.length() - skip;
        if (length > 0) {
            next += length;
            sink.octets(segment, skip, length);
        }
        long end = at + segment.length() + segment.cut();
        if (end > next) {
            long missing = end - next;
            next = end;
            sink.gap(missing, true);
        }
    }

    /** Reports the missing bytes before the held ones as a gap. */
    private void skip() {
        if (!held.isEmpty()) {
            long missing = held.firstKey() - next;
            next = held.firstKey();
            if (missing > 0) {
                sink.gap(missing, false);
            }
            drain();
        }
    }

    /** Drops the held bytes. */
    void drop() {
        held.clear();
        elsewhere.clear();
        budget.hold(-heldOctets);
        heldOctets = 0;
    }

    /** Stops waiting for missing bytes before the held ones. */
    void hurry() {
        while (!held.isEmpty()) {
            skip();
        }
    }

    /** Ends the stream. */
    void flush() {
        hurry();
        if (elsewhere.size() > 1 && !ended) {
            goElsewhere();
        } else if (!elsewhere.isEmpty() && !ended) {
            sink.leftOut(elsewhere.get(0));
        }
        if (started && !ended) {
            ended = true;
            if (finAt > next) {
                sink.gap(finAt - next, false);
            }
            sink.end(finAt >= 0);
        }
    }
}
