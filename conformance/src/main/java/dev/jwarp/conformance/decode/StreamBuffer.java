package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Window;
import java.util.Map;
import java.util.TreeMap;

/** The octets of a stream that are not decoded yet, and which frame brought which of them. */
final class StreamBuffer {
    /** From some octet of the stream on it was this frame. */
    private record Mark(long frame, long nanos, boolean missing) {}

    /** What a mark costs. */
    private static final int MARK = 128;

    private final Window window = new Window();
    /** By the position of the first octet. */
    private final TreeMap<Long, Mark> marks = new TreeMap<>();

    private final Budget budget;
    private long counted;

    StreamBuffer(Budget budget) {
        this.budget = budget;
    }

    /** What a range of octets was brought by. */
    record Source(long firstFrame, long lastFrame, long nanos, boolean missing) {}

    /** The octets themselves. */
    Window window() {
        return window;
    }

    int available() {
        return window.available();
    }

    /** The stream position of the first octet held, counted from wherever the stream was seen first. */
    long position() {
        return window.position();
    }

    byte[] array() {
        return window.array();
    }

    int start() {
        return window.start();
    }

    int end() {
        return window.end();
    }

    void add(byte[] data, int at, int length, long frame, long nanos) {
        mark(frame, nanos, false);
        window.add(data, at, length);
        count();
    }

    /** Octets that are known to have been there, and are not in the capture. */
    void addMissing(int length) {
        Map.Entry<Long, Mark> last = marks.lastEntry();
        mark(last == null ? 0 : last.getValue().frame, last == null ? 0 : last.getValue().nanos, true);
        window.addZeros(length);
        count();
    }

    private void mark(long frame, long nanos, boolean missing) {
        Map.Entry<Long, Mark> last = marks.lastEntry();
        if (last == null || last.getValue().frame != frame || last.getValue().missing != missing) {
            marks.put(position() + available(), new Mark(frame, nanos, missing));
        }
    }

    private void count() {
        long holds = window.array().length + (long) MARK * marks.size();
        if (holds != counted) {
            budget.hold(holds - counted);
            counted = holds;
        }
    }

    /** What brought the first {@code length} octets. */
    Source source(int length) {
        long first = marks.firstEntry().getValue().frame;
        long frame = 0;
        long nanos = 0;
        boolean missing = false;
        for (Mark mark : marks.headMap(position() + length).values()) {
            if (mark.frame >= frame) {
                frame = mark.frame;
                nanos = mark.nanos;
            }
            missing |= mark.missing;
        }
        return new Source(first, frame, nanos, missing);
    }

    void drop(int length) {
        window.drop(length);
        if (available() == 0) {
            marks.clear();
        } else {
            marks.headMap(marks.floorKey(position())).clear();
        }
        count();
    }

    /** Drops all, and {@code length} octets that never came. */
    void skip(long length) {
        window.skip(length);
        marks.clear();
        count();
    }

    /** The first octet from {@code at} on with which a segment began, or {@link #available} if there is none. */
    int nextFrame(int at) {
        Map.Entry<Long, Mark> next = marks.ceilingEntry(position() + at);
        while (next != null && next.getValue().missing) {
            next = marks.higherEntry(next.getKey());
        }
        return next == null ? available() : (int) (next.getKey() - position());
    }

    /** True if a segment began where the octet {@code at} stands, counted from the first one held. */
    boolean beginsFrame(int at) {
        return marks.containsKey(position() + at);
    }
}
