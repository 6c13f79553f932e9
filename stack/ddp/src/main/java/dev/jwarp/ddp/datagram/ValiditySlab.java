package dev.jwarp.ddp.datagram;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bounded memory for the bits of {@link SegmentMap}s, in chunks of 8 KiB, the bits of the longest message. Each chunk
 * is divided into blocks of one size, a power of two. Chunks are created on demand and reused. Owner thread only.
 */
public final class ValiditySlab {
    /** Words of a chunk: a bit for each of {@link SegmentShape#MOST_SEGMENTS}. */
    static final int CHUNK_WORDS = SegmentShape.MOST_SEGMENTS / Long.SIZE;

    private static final int CLASSES = Integer.numberOfTrailingZeros(CHUNK_WORDS) + 1;

    /** A chunk of blocks of one size, with a bitmap of the taken blocks. */
    static final class Chunk {
        final long[] words = new long[CHUNK_WORDS];
        private final long[] taken = new long[CHUNK_WORDS / Long.SIZE];
        private int sizeClass;
        private int used;
        private int takenFrom;
        private @Nullable Chunk next;
        private @Nullable Chunk previous;

        /** {@return the first word of the last block taken} */
        int takenFrom() {
            return takenFrom;
        }

        private int blocks() {
            return CHUNK_WORDS >> sizeClass;
        }

        private boolean full() {
            return used == blocks();
        }

        private void take() {
            int word = 0;
            while (taken[word] == -1L) {
                word++;
            }
            int bit = Long.numberOfTrailingZeros(~taken[word]);
            taken[word] |= 1L << bit;
            used++;
            takenFrom = (word * Long.SIZE + bit) << sizeClass;
            Arrays.fill(words, takenFrom, takenFrom + (1 << sizeClass), 0);
        }

        private void give(int from) {
            int block = from >> sizeClass;
            taken[block / Long.SIZE] &= ~(1L << block);
            used--;
        }
    }

    private final int limit;
    private int made;
    private int usedOctets;

    /** Partly used chunks, by the size of their blocks; unused chunks are in {@link #idle}. */
    private final @Nullable Chunk[] withRoom = new Chunk[CLASSES];

    private @Nullable Chunk idle;

    /**
     * Creates an empty slab.
     *
     * @param octets maximum memory, 8 KiB or more
     */
    public ValiditySlab(long octets) {
        limit = (int) Math.min(Integer.MAX_VALUE, octets / (CHUNK_WORDS * Long.BYTES));
        if (limit < 1) {
            throw new IllegalArgumentException(
                    "a slab has room for the bits of one message, 8192 bytes, at least; not " + octets);
        }
    }

    /** {@return words of a block for {@code words} words: the next power of two} */
    static int block(int words) {
        return 1 << sizeClass(words);
    }

    private static int sizeClass(int words) {
        return words <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(words - 1);
    }

    /** {@return octets of the blocks in use} */
    public int usedOctets() {
        return usedOctets;
    }

    /** {@return octets of all chunks created: the maximum use so far, in chunks of 8 KiB} */
    public long madeOctets() {
        return (long) made * CHUNK_WORDS * Long.BYTES;
    }

    /** {@return the chunk of a new block of zeros ({@link Chunk#takenFrom}), or null if there is no space} */
    @Nullable
    Chunk take(int words) {
        int size = sizeClass(words);
        Chunk chunk = withRoom[size];
        if (chunk == null) {
            chunk = idle(size);
            if (chunk == null) {
                return null;
            }
            link(chunk);
        }
        chunk.take();
        usedOctets += Long.BYTES << size;
        if (chunk.full()) {
            unlink(chunk);
        }
        return chunk;
    }

    private @Nullable Chunk idle(int size) {
        Chunk chunk = idle;
        if (chunk != null) {
            idle = chunk.next;
            chunk.next = null;
        } else if (made < limit) {
            made++;
            chunk = new Chunk();
        } else {
            return null;
        }
        chunk.sizeClass = size;
        return chunk;
    }

    /** Takes a block back. */
    void give(Chunk chunk, int from) {
        boolean wasFull = chunk.full();
        chunk.give(from);
        usedOctets -= Long.BYTES << chunk.sizeClass;
        if (chunk.used == 0) {
            if (!wasFull) {
                unlink(chunk);
            }
            chunk.next = idle;
            idle = chunk;
        } else if (wasFull) {
            link(chunk);
        }
    }

    private void link(Chunk chunk) {
        Chunk first = withRoom[chunk.sizeClass];
        chunk.previous = null;
        chunk.next = first;
        if (first != null) {
            first.previous = chunk;
        }
        withRoom[chunk.sizeClass] = chunk;
    }

    private void unlink(Chunk chunk) {
        Chunk before = chunk.previous;
        Chunk after = chunk.next;
        if (before == null) {
            withRoom[chunk.sizeClass] = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        chunk.next = null;
        chunk.previous = null;
    }
}
