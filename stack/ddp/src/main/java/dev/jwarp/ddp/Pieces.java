package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Several buffers as one range of bytes, in their order: memory larger than a {@link ByteBuffer}, or in several places.
 * Positions count from the first byte of the first buffer. Immutable; any thread; allocates nothing after construction.
 */
final class Pieces {
    /** Placeholder for a range in one buffer; never used. */
    static final Pieces NONE = new Pieces(List.of());

    private final ByteBuffer[] buffers;

    /** The position of each buffer, followed by the total length. */
    private final long[] starts;

    /**
     * The binary logarithm of the length of all buffers but the last; -1 if their lengths differ or are no power of
     * two.
     */
    private final int shift;

    /**
     * Creates views of buffers.
     *
     * @param memory the buffers, each from position to limit; none is empty
     */
    Pieces(List<ByteBuffer> memory) {
        int count = memory.size();
        buffers = new ByteBuffer[count];
        starts = new long[count + 1];
        for (int i = 0; i < count; i++) {
            buffers[i] = memory.get(i).slice();
            starts[i + 1] = starts[i] + buffers[i].capacity();
        }
        shift = shift();
    }

    private int shift() {
        int length = buffers.length == 0 ? 0 : buffers[0].capacity();
        for (int i = 0; i < buffers.length - 1; i++) {
            if (buffers[i].capacity() != length) {
                return -1;
            }
        }
        return Integer.bitCount(length) == 1 ? Integer.numberOfTrailingZeros(length) : -1;
    }

    /** {@return the total length in bytes} */
    long length() {
        return starts[buffers.length];
    }

    /** {@return the buffer of the byte at this position; the last one for the end position} */
    ByteBuffer memoryAt(long position) {
        return buffers[find(position)];
    }

    /** {@return the index in {@link #memoryAt} of the byte at this position} */
    int indexAt(long position) {
        return (int) (position - starts[find(position)]);
    }

    /**
     * {@return how many of {@code length} bytes from this position on are in the same buffer: at least 1 if length is
     * at least 1}
     */
    int contiguous(long position, int length) {
        return (int) Math.min(length, starts[find(position) + 1] - position);
    }

    /** Copies bytes to a range, which the caller has checked, across buffers if necessary. */
    void put(long position, ByteBuffer source, int from, int length) {
        int piece = find(position);
        int index = (int) (position - starts[piece]);
        int at = from;
        int left = length;
        while (left > 0) {
            ByteBuffer target = buffers[piece];
            int part = Math.min(left, target.capacity() - index);
            target.put(index, source, at, part);
            at += part;
            left -= part;
            index = 0;
            piece++;
        }
    }

    /** {@return the index of the last buffer that begins at or before this position} */
    private int find(long position) {
        int low = 0;
        int high = buffers.length - 1;
        if (shift >= 0) {
            return (int) Math.min(high, position >>> shift);
        }
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (starts[middle] <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
