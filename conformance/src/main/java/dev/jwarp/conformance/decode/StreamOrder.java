package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.capture.Packet.Tcp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Brings the segments of one direction of a TCP connection into order: what came twice is passed on once, what came early is held until the
 * rest is there, and what never comes is told as a gap. Holds a bounded number of bytes.
 */
final class StreamOrder {
    /** The receiver of the ordered bytes. */
    interface Sink {
        /** Bytes of a segment: {@code length} of its payload from {@code skip} on. */
        void octets(Tcp segment, int skip, int length);

        /**
         * Bytes that are not in the capture.
         *
         * @param snapLength true if the frame is there, but was cut
         */
        void gap(long length, boolean snapLength);

        /** A segment far from all others at the end of the capture is left out. */
        void leftOut(Tcp segment);

        /** The stream has ended: FIN, or the capture has no more of it. */
        void end(boolean fin);
    }

    /** Bytes held for one direction before a hole is taken for a loss of the capture. */
    static final int MOST_HELD = 1 << 20;
    /** Segments to wait for after the receiver has acknowledged what is missing here: captures disorder a few. */
    private static final int PATIENCE = 64;
    /** What a held segment costs in addition to its payload. */
    private static final int OVERHEAD = 256;
    /** TCP's largest window is 2^30: what lies farther off is of another connection, or lies behind a hole of the capture. */
    private static final long FAR = 1L << 30;
    /** So far back all is taken for sent again, whether this stream has had it or not: a capture may begin in the middle. */
    private static final long OLD = 1L << 26;
    /** Segments far off, one behind the other, that are taken for the stream behind a hole. */
    private static final int ELSEWHERE = 4;

    private final Sink sink;
    private final Budget budget;
    private final TreeMap<Long, Tcp> held = new TreeMap<>();
    /** Far off, each where the one before it ends. */
    private final List<Tcp> elsewhere = new ArrayList<>();

    private boolean started;
    private boolean fromSyn;
    private boolean ended;
    /** The sequence number that comes next; its low 32 bits are those on the wire. */
    private long next;

    /** Where the stream began, or went on behind the last hole of more than {@link #FAR}. */
    private long first;

    private long finAt = -1;
    private long heldOctets;
    private int sinceAcknowledged;

    StreamOrder(Sink sink, Budget budget) {
        this.sink = sink;
        this.budget = budget;
    }

    /** True if the stream is known from its first byte. */
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

    /** True if the other side has confirmed bytes that this side has not passed on yet. */
    boolean behind(Tcp other) {
        // A FIN is confirmed like one more byte.
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
        // Farther back than a window nothing is sent again, nor what this stream has not had: it lies behind a hole of
        // almost 2^32.
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

    /** The stream goes on behind a hole, of 4 GiB more perhaps: its length is known modulo 2^32. */
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

    /** Takes note of what the other side has confirmed. */
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

    /** Gives up what is missing in front of what is held. */
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

    /** What is held is not needed any more. */
    void drop() {
        held.clear();
        elsewhere.clear();
        budget.hold(-heldOctets);
        heldOctets = 0;
    }

    /** Waits for nothing that is missing in front of what is held. */
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
