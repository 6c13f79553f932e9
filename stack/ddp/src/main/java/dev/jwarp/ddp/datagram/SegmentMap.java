package dev.jwarp.ddp.datagram;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which parts of one message have been placed: one bit a segment, so it is exact whatever was lost. The layer that places
 * writes it; once that layer has handed it out with a completion it does not change any more, until it is given back.
 * Reading allocates nothing. One thread at a time.
 */
public final class SegmentMap {
    private static final int WORD = Long.SIZE;

    private ValiditySlab.@Nullable Chunk chunk;
    private int from;
    private long length;
    private int segmentSize = 1;
    private int segments;
    private int placed;
    private long validBytes;

    /** Creates the map of an empty message, complete. */
    public SegmentMap() {}

    // ---- the layer that places

    /**
     * Begins a message of which nothing has been placed. The map must have been {@link #close closed} before.
     *
     * @param segmentSize octets of every segment but the last
     * @return false if the slab has no room for it; nothing is changed then
     */
    public boolean open(ValiditySlab slab, long messageLength, int segmentSize) {
        int count = (int) SegmentShape.count(messageLength, segmentSize);
        ValiditySlab.Chunk memory = slab.take(words(count));
        if (memory == null) {
            return false;
        }
        chunk = memory;
        from = memory.takenFrom();
        begin(messageLength, segmentSize, count);
        return true;
    }

    /** Makes it the map of a message of a single segment, placed. Needs no slab. */
    public void whole(long messageLength) {
        begin(messageLength, (int) Math.max(1, messageLength), 1);
        placed = 1;
        validBytes = messageLength;
    }

    private void begin(long messageLength, int size, int count) {
        length = messageLength;
        segmentSize = size;
        segments = count;
        placed = 0;
        validBytes = 0;
    }

    /** Notes that a segment has been placed. It must not have been before. */
    public void place(int segment) {
        ValiditySlab.Chunk memory = chunk;
        if (memory != null) {
            memory.words[from + segment / WORD] |= 1L << segment;
        }
        placed++;
        validBytes += octets(segment);
    }

    /** If all has been placed, gives the memory of the bits back: the numbers alone say it. */
    public void seal(ValiditySlab slab) {
        ValiditySlab.Chunk memory = chunk;
        if (memory != null && isComplete()) {
            slab.give(memory, from);
            chunk = null;
        }
    }

    /** Gives the memory of the bits back; the map then means nothing. Idempotent. */
    public void close(ValiditySlab slab) {
        ValiditySlab.Chunk memory = chunk;
        if (memory != null) {
            slab.give(memory, from);
            chunk = null;
        }
        begin(0, 1, 0);
    }

    /** {@return octets of slab memory that the bits of a message take} */
    public static int memory(long messageLength, int segmentSize) {
        return ValiditySlab.block(words((int) SegmentShape.count(messageLength, segmentSize))) * Long.BYTES;
    }

    private static int words(int count) {
        return (count + WORD - 1) / WORD;
    }

    // ---- questions

    /** {@return octets of the whole message} */
    public long length() {
        return length;
    }

    /** {@return octets of every segment but the last: what one bit means} */
    public int segmentSize() {
        return segmentSize;
    }

    /** {@return how many segments the message has} */
    public int segments() {
        return segments;
    }

    /** {@return whether all of the message has been placed} */
    public boolean isComplete() {
        return placed == segments;
    }

    /** {@return how many segments have not been placed} */
    public int missing() {
        return segments - placed;
    }

    /** {@return octets that have been placed, each counted once} */
    public long validBytes() {
        return validBytes;
    }

    /** {@return whether this segment has been placed} */
    public boolean isPlaced(int segment) {
        ValiditySlab.Chunk memory = chunk;
        if (memory == null) {
            return placed == segments;
        }
        return (memory.words[from + segment / WORD] >>> segment & 1) != 0;
    }

    /** {@return whether every octet of this range has been placed} False if it reaches beyond the message. */
    public boolean contains(long offset, long octets) {
        if (offset < 0 || octets < 0 || offset > length - octets) {
            return false;
        }
        return octets == 0 || nextHole(offset) >= offset + octets;
    }

    /** {@return the offset of the first octet from {@code offset} on that has been placed; the length if none has} */
    public long nextValid(long offset) {
        return next(offset, true);
    }

    /** {@return the offset of the first octet from {@code offset} on that has not been placed; the length if all have} */
    public long nextHole(long offset) {
        return next(offset, false);
    }

    private long next(long offset, boolean wanted) {
        if (offset >= length) {
            return length;
        }
        int segment = (int) (offset / segmentSize);
        if (isPlaced(segment) == wanted) {
            return offset;
        }
        return Math.min(length, (long) nextSegment(segment + 1, wanted) * segmentSize);
    }

    /** {@return the first segment from {@code start} on whose bit is as wanted, or the number of segments} */
    private int nextSegment(int start, boolean wanted) {
        ValiditySlab.Chunk memory = chunk;
        if (memory == null || start >= segments) {
            return start < segments && isComplete() == wanted ? start : segments;
        }
        int word = start / WORD;
        long bits = bits(memory, word, wanted) & -1L << start;
        int end = words(segments);
        while (bits == 0) {
            word++;
            if (word == end) {
                return segments;
            }
            bits = bits(memory, word, wanted);
        }
        return Math.min(segments, word * WORD + Long.numberOfTrailingZeros(bits));
    }

    private long bits(ValiditySlab.Chunk memory, int word, boolean wanted) {
        long bits = memory.words[from + word];
        return wanted ? bits : ~bits;
    }

    /** Hands over the ranges that have been placed, each as long as can be. */
    public void forEachRange(RangeConsumer consumer) {
        for (long at = nextValid(0); at < length; ) {
            long end = nextHole(at);
            consumer.range(at, end - at);
            at = nextValid(end);
        }
    }

    /** Hands over the ranges that have not been placed, each as long as can be. */
    public void forEachHole(RangeConsumer consumer) {
        for (long at = nextHole(0); at < length; ) {
            long end = nextValid(at);
            consumer.range(at, end - at);
            at = nextHole(end);
        }
    }

    /**
     * Copies the bits: that of segment i is bit i mod 64 (the lowest is 0) of word i ÷ 64.
     *
     * @return how many words {@link #segments} need; those beyond the end of {@code target} are not copied
     */
    public int copyTo(long[] target) {
        int count = words(segments);
        ValiditySlab.Chunk memory = chunk;
        int copied = Math.min(count, target.length);
        if (memory != null) {
            System.arraycopy(memory.words, from, target, 0, copied);
        } else {
            Arrays.fill(target, 0, copied, -1L);
            if (segments % WORD != 0 && copied == count) {
                target[count - 1] = (1L << segments) - 1;
            }
        }
        return count;
    }

    private long octets(int segment) {
        return Math.min(segmentSize, length - (long) segment * segmentSize);
    }

    @Override
    public String toString() {
        return validBytes + " of " + length + " bytes in segments of " + segmentSize;
    }
}
