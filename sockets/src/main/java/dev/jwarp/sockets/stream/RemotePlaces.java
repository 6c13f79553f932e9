package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * The memory of the peer that this end writes data to: places that the peer grants one after the other, each once,
 * through a table in memory of this end. A place is read from the table when a word announces that the table may have
 * changed; writes of the peer to the table have no effect at other times.
 */
final class RemotePlaces {
    private final ByteBuffer table;
    private final long[] addresses = new long[RsocketRecord.PLACES];
    private final int[] keys = new int[RsocketRecord.PLACES];
    private final int[] left = new int[RsocketRecord.PLACES];
    private int current;
    /** Index of the next place in the table; the first place comes from the peer's record. */
    private int awaited = 1;

    /**
     * Made without a place.
     *
     * @param table {@link #TABLE_LENGTH} octets of 0 that the peer may write to, in the byte order of this end's record
     */
    RemotePlaces(ByteBuffer table) {
        this.table = table;
    }

    /** Octets of a table. */
    static final int TABLE_LENGTH = RsocketRecord.PLACES * RsocketRecord.Place.LENGTH;

    /** Sets the first place, from the peer's record. */
    void begin(RsocketRecord.Place first) {
        put(0, first.address(), first.key(), first.length());
    }

    /** Reads the next place, because a word announces that the table may have changed. */
    void update() {
        int at = awaited * RsocketRecord.Place.LENGTH;
        int length = table.getInt(at + RsocketRecord.Place.LENGTH_OFFSET);
        if (length == 0) {
            return;
        }
        put(awaited, table.getLong(at), table.getInt(at + RsocketRecord.Place.KEY_OFFSET), length);
        table.putInt(at + RsocketRecord.Place.LENGTH_OFFSET, 0);
        awaited = (awaited + 1) % RsocketRecord.PLACES;
    }

    private void put(int index, long address, int key, int length) {
        addresses[index] = address;
        keys[index] = key;
        left[index] = length < 0 ? Integer.MAX_VALUE : length; // the length is unsigned
    }

    /** {@return free bytes of the current place; 0 if there is none yet} */
    int room() {
        return left[current];
    }

    long address() {
        return addresses[current];
    }

    int key() {
        return keys[current];
    }

    /** Counts bytes that are written to the current place. */
    void use(int bytes) {
        addresses[current] += bytes;
        left[current] -= bytes;
        if (left[current] == 0) {
            current = (current + 1) % RsocketRecord.PLACES;
        }
    }
}
