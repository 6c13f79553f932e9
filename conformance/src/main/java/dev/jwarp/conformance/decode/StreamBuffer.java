package dev.jwarp.conformance.decode;

import dev.jwarp.conformance.wire.Fpdu;
import dev.jwarp.conformance.wire.Framing;
import dev.jwarp.conformance.wire.Window;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The bytes of a stream that are not decoded yet, and the frames that brought them. */
final class StreamBuffer extends Window {
    /** From this byte of the stream on the bytes came in this frame. */
    private record Mark(long frame, long nanos, boolean missing) {}

    /** Memory in bytes for a mark. */
    private static final int MARK = 128;

    /** Marks by the position of their first byte. */
    private final TreeMap<Long, Mark> marks = new TreeMap<>();

    private final Budget budget;
    private final Effort effort;
    private long counted;
    private @Nullable Read read;

    StreamBuffer(Budget budget, Effort effort) {
        this.budget = budget;
        this.effort = effort;
    }

    /** The FPDU at the start of the buffer from the latest read: callers ask for an unfinished FPDU repeatedly. */
    private record Read(Framing framing, long position, long count, Fpdu fpdu, Source source) {}

    /** The frames that brought a range of bytes. */
    record Source(long firstFrame, long lastFrame, long nanos, boolean missing) {}

    void add(byte[] data, int at, int length, long frame, long nanos) {
        mark(frame, nanos, false);
        add(data, at, length);
        count();
    }

    /** Appends bytes that are missing from the capture. */
    void addMissing(int length) {
        Map.Entry<Long, Mark> last = marks.lastEntry();
        mark(last == null ? 0 : last.getValue().frame, last == null ? 0 : last.getValue().nanos, true);
        addZeros(length);
        count();
    }

    private void mark(long frame, long nanos, boolean missing) {
        Map.Entry<Long, Mark> last = marks.lastEntry();
        if (last == null || last.getValue().frame != frame || last.getValue().missing != missing) {
            marks.put(position() + available(), new Mark(frame, nanos, missing));
        }
    }

    private void count() {
        // An FPDU holds its bytes twice.
        long holds = array().length + (long) MARK * marks.size() + (read == null ? 0 : 2L * read.fpdu.octets().length);
        if (holds != counted) {
            budget.hold(holds - counted);
            counted = holds;
        }
    }

    /** The FPDU at index {@code at}, or null, as {@link Framing#read} says. */
    @Nullable
    Fpdu read(Framing framing, int at, long position, long count) {
        Fpdu fpdu = framing.read(array(), start() + at, end(), position, count);
        effort.spend(fpdu == null ? 0 : fpdu.octets().length);
        return fpdu;
    }

    /** The FPDU at the start of the buffer, or null, as {@link Framing#read} says. */
    @Nullable
    Fpdu first(Framing framing, long position, long count) {
        if (read == null || read.position != position || read.count != count || !read.framing.equals(framing)) {
            Fpdu fpdu = read(framing, 0, position, count);
            read = fpdu == null ? null : new Read(framing, position, count, fpdu, sourceOf(fpdu.octets().length));
            count();
        }
        return read == null ? null : read.fpdu;
    }

    /** The frames that brought the first {@code length} bytes. */
    Source source(int length) {
        return read != null && read.fpdu.octets().length == length ? read.source : sourceOf(length);
    }

    private Source sourceOf(int length) {
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

    @Override
    public void drop(int length) {
        super.drop(length);
        read = length == 0 ? read : null;
        if (available() == 0) {
            marks.clear();
        } else {
            marks.headMap(marks.floorKey(position())).clear();
        }
        count();
    }

    /** The first index from {@code at} on at which a segment began; {@link #available} if there is none. */
    int nextFrame(int at) {
        Map.Entry<Long, Mark> next = marks.ceilingEntry(position() + at);
        while (next != null && next.getValue().missing) {
            next = marks.higherEntry(next.getKey());
        }
        return next == null ? available() : (int) (next.getKey() - position());
    }

    /** True if a segment began at index {@code at}. */
    boolean beginsFrame(int at) {
        return marks.containsKey(position() + at);
    }
}
