package dev.jwarp.ddp.datagram;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The map of the placed parts of one message, with one bit per segment. The placing layer writes the map. Once the map
 * is passed on with a completion, it does not change until it is released. Reading allocates nothing. One thread at a
 * time.
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

    /** Creates the map of a complete empty message. */
    public SegmentMap() {}

    // ---- the placing layer

    /**
     * Begins a message without placed segments. The map must have been {@link #close closed} before.
     *
     * @param segmentSize octets of every segment but the last
     * @return false if the slab has no space for the map; nothing is changed then
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

    /** Makes this the map of a placed message of one segment. Needs no slab. */
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

    /** Records a placed segment, which must not have been placed before. */
    public void place(int segment) {
        ValiditySlab.Chunk memory = chunk;
        if (memory != null) {
            memory.words[from + segment / WORD] |= 1L << segment;
        }
        placed++;
        validBytes += octets(segment);
    }

    /** Releases the memory of the bits if the message is complete; the counts are sufficient then. */
    public void seal(ValiditySlab slab) {
        ValiditySlab.Chunk memory = chunk;
        if (memory != null && isComplete()) {
            slab.give(memory, from);
            chunk = null;
        }
    }

    /** Releases the memory of the bits; the map is meaningless afterwards. Idempotent. */
    public void close(ValiditySlab slab) {
        ValiditySlab.Chunk memory = chunk;
        if (memory != null) {
            slab.give(memory, from);
            chunk = null;
        }
        begin(0, 1, 0);
    }

    /** {@return octets of slab memory for the bits of a message} */
    public static int memory(long messageLength, int segmentSize) {
        return ValiditySlab.block(words((int) SegmentShape.count(messageLength, segmentSize))) * Long.BYTES;
    }

    private static int words(int count) {
        return (count + WORD - 1) / WORD;
    }

    // ---- queries

    /** {@return octets of the whole message} */
    public long length() {
        return length;
    }

    /** {@return octets of every segment but the last, which one bit stands for} */
    public int segmentSize() {
        return segmentSize;
    }

    /** {@return the number of segments of the message} */
    public int segments() {
        return segments;
    }

    /** {@return whether all segments have been placed} */
    public boolean isComplete() {
        return placed == segments;
    }

    /** {@return the number of segments that have not been placed} */
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

    /** {@return whether every octet of this range has been placed} False if the range extends beyond the message. */
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

    /** Reports the placed ranges, each as long as possible. */
    public void forEachRange(RangeConsumer consumer) {
        for (long at = nextValid(0); at < length; ) {
            long end = nextHole(at);
            consumer.range(at, end - at);
            at = nextValid(end);
        }
    }

    /** Reports the ranges that have not been placed, each as long as possible. */
    public void forEachHole(RangeConsumer consumer) {
        for (long at = nextHole(0); at < length; ) {
            long end = nextValid(at);
            consumer.range(at, end - at);
            at = nextHole(end);
        }
    }

    /**
     * Copies the bits: segment i has bit i mod 64 (the lowest is 0) of word i ÷ 64.
     *
     * @return the number of words for {@link #segments}; words beyond the end of {@code target} are not copied
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
