package dev.jwarp.ddp;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Several buffers as one range of octets, in their order: memory that is larger than a {@link ByteBuffer} can be, or that lies
 * in several places. Positions are counted from the first octet of the first buffer. Never changes; any thread; allocates
 * nothing once it is made.
 */
final class Pieces {
    /** Of a range that one buffer holds: not asked. */
    static final Pieces NONE = new Pieces(List.of());

    private final ByteBuffer[] buffers;

    /** Where each buffer begins, and behind them where all end. */
    private final long[] starts;

    /** All buffers but the last have 2 to the power of this octets, as those of memory segments have; -1 if not. */
    private final int shift;

    /**
     * Views of buffers.
     *
     * @param memory what lies between position and limit of each; none is empty
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

    /** {@return octets of all buffers} */
    long length() {
        return starts[buffers.length];
    }

    /** {@return the buffer that holds the octet at this position; the last one for the position behind all} */
    ByteBuffer memoryAt(long position) {
        return buffers[find(position)];
    }

    /** {@return the index in {@link #memoryAt} of the octet at this position} */
    int indexAt(long position) {
        return (int) (position - starts[find(position)]);
    }

    /** {@return how many of {@code length} octets from this position on its buffer holds: at least 1, if length is} */
    int contiguous(long position, int length) {
        return (int) Math.min(length, starts[find(position) + 1] - position);
    }

    /** Copies octets in, across as many buffers as it takes; the range has been checked. */
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

    /** {@return the last buffer that begins at this position or before it} */
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
