package dev.jwarp.tools.rping;

import java.nio.ByteBuffer;

/**
 * What rping sends before each transfer: where the peer may read or write. Sixteen bytes, big endian:
 *
 * <pre>
 *   0: address of the buffer (8) | 8: its STag (4) | 12: its length (4)
 * </pre>
 */
final class Advertisement {
    static final int ADDRESS_OFFSET = 0;
    static final int STAG_OFFSET = 8;
    static final int SIZE_OFFSET = 12;
    static final int LENGTH = 16;

    private Advertisement() {}

    static void write(ByteBuffer target, long address, int stag, int size) {
        target.putLong(ADDRESS_OFFSET, address).putInt(STAG_OFFSET, stag).putInt(SIZE_OFFSET, size);
    }

    static long address(ByteBuffer source) {
        return source.getLong(ADDRESS_OFFSET);
    }

    static int stag(ByteBuffer source) {
        return source.getInt(STAG_OFFSET);
    }

    static int size(ByteBuffer source) {
        return source.getInt(SIZE_OFFSET);
    }
}
