package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Memory of the peer that the program writes to by offsets (librdmacm, {@code rs_iomap}). The peer writes entries after
 * the table of places; an entry is copied when a word announces its change.
 *
 * <pre>
 *   0: offset (8) | 8: address (8) | 16: key (4) | 20: length (4): bytes
 * </pre>
 */
final class RemoteMap {
    /** Octets of an entry. */
    static final int ENTRY = 24;

    static final int OFFSET_OFFSET = 0;
    static final int ADDRESS_OFFSET = 8;
    static final int KEY_OFFSET = 16;
    static final int LENGTH_OFFSET = 20;

    private final ByteBuffer table;
    private final int begin;
    private final long[] offsets;
    private final long[] addresses;
    private final int[] keys;
    private final long[] lengths;

    /**
     * Made with empty entries.
     *
     * @param table of places, followed by the entries, in the byte order of this end's record
     * @param begin offset of the entries
     */
    RemoteMap(ByteBuffer table, int begin) {
        this.table = table;
        this.begin = begin;
        int entries = (table.capacity() - begin) / ENTRY;
        offsets = new long[entries];
        addresses = new long[entries];
        keys = new int[entries];
        lengths = new long[entries];
    }

    int entries() {
        return lengths.length;
    }

    /** Copies an entry, because a word announces its change. */
    void update(int entry) {
        int at = begin + entry * ENTRY;
        offsets[entry] = table.getLong(at + OFFSET_OFFSET);
        addresses[entry] = table.getLong(at + ADDRESS_OFFSET);
        keys[entry] = table.getInt(at + KEY_OFFSET);
        lengths[entry] = table.getInt(at + LENGTH_OFFSET) & 0xFFFF_FFFFL;
    }

    /** {@return the first entry that contains this offset; -1 if none does} */
    int find(long offset) {
        for (int entry = 0; entry < lengths.length; entry++) {
            if (Long.compareUnsigned(offset - offsets[entry], lengths[entry]) < 0) {
                return entry;
            }
        }
        return -1;
    }

    long address(int entry, long offset) {
        return addresses[entry] + (offset - offsets[entry]);
    }

    int key(int entry) {
        return keys[entry];
    }

    /** {@return bytes from the offset to the end of the entry} */
    long left(int entry, long offset) {
        return lengths[entry] - (offset - offsets[entry]);
    }
}
