package dev.jwarp.conformance.decode;

import java.util.ArrayDeque;
import java.util.Arrays;

/** The octets of a stream that are not decoded yet, and which frame brought which of them. */
final class StreamBuffer {
    /** From this octet of the stream on it was this frame. */
    private record Mark(long from, long frame, long nanos, boolean missing) {}

    /** What is kept while nothing is held. */
    private static final int MOST_IDLE = 16 << 10;

    private byte[] octets = new byte[0];
    private int start;
    private int end;
    private long position;
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();

    /** What a range of octets was brought by. */
    record Source(long firstFrame, long lastFrame, long nanos, boolean missing) {}

    int available() {
        return end - start;
    }

    /** The stream position of the first octet held, counted from wherever the stream was seen first. */
    long position() {
        return position;
    }

    byte[] array() {
        return octets;
    }

    int start() {
        return start;
    }

    int end() {
        return end;
    }

    void add(byte[] data, int at, int length, long frame, long nanos) {
        room(length);
        System.arraycopy(data, at, octets, end, length);
        mark(frame, nanos, false);
        end += length;
    }

    /** Octets that are known to have been there, and are not in the capture. */
    void addMissing(int length) {
        room(length);
        Arrays.fill(octets, end, end + length, (byte) 0);
        Mark last = marks.peekLast();
        mark(last == null ? 0 : last.frame, last == null ? 0 : last.nanos, true);
        end += length;
    }

    private void room(int length) {
        if (end + length > octets.length) {
            byte[] into = available() + length > octets.length
                    ? new byte[Math.max(4096, 2 * (available() + length))]
                    : octets;
            System.arraycopy(octets, start, into, 0, available());
            end -= start;
            start = 0;
            octets = into;
        }
    }

    private void mark(long frame, long nanos, boolean missing) {
        Mark last = marks.peekLast();
        if (last == null || last.frame != frame || last.missing != missing) {
            marks.add(new Mark(position + available(), frame, nanos, missing));
        }
    }

    /** What brought the first {@code length} octets. */
    Source source(int length) {
        Mark first = marks.getFirst();
        long frame = 0;
        long nanos = 0;
        boolean missing = false;
        for (Mark mark : marks) {
            if (mark.from >= position + length) {
                break;
            }
            if (mark.frame >= frame) {
                frame = mark.frame;
                nanos = mark.nanos;
            }
            missing |= mark.missing;
        }
        return new Source(first.frame, frame, nanos, missing);
    }

    void drop(int length) {
        start += length;
        position += length;
        if (available() == 0) {
            marks.clear();
            if (octets.length > MOST_IDLE) {
                octets = new byte[0];
            }
            start = 0;
            end = 0;
        }
        while (marks.size() > 1 && secondMark() <= position) {
            marks.removeFirst();
        }
    }

    private long secondMark() {
        var all = marks.iterator();
        all.next();
        return all.next().from;
    }

    /** Drops all, and {@code length} octets that never came. */
    void skip(long length) {
        position += available() + length;
        start = 0;
        end = 0;
        marks.clear();
    }

    /** Drops all, and takes no more. */
    void release() {
        skip(0);
        octets = new byte[0];
    }

    /** The first octet from {@code at} on with which a segment began, or {@link #available} if there is none. */
    int nextFrame(int at) {
        for (Mark mark : marks) {
            if (mark.from >= position + at && !mark.missing) {
                return (int) (mark.from - position);
            }
        }
        return available();
    }

    /** True if a segment began where the octet {@code at} stands, counted from the first one held. */
    boolean beginsFrame(int at) {
        for (Mark mark : marks) {
            if (mark.from >= position + at) {
                return mark.from == position + at;
            }
        }
        return false;
    }
}
