package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Where the peer takes data: places that it gives one after the other, each once, through a table in memory of this end. A place is taken from the table when a
 * word says that the table may have changed, so what the peer writes there at other times means nothing.
 */
final class RemotePlaces {
    private final ByteBuffer table;
    private final long[] addresses = new long[RsocketRecord.PLACES];
    private final int[] keys = new int[RsocketRecord.PLACES];
    private final int[] left = new int[RsocketRecord.PLACES];
    private int current;
    /** Which place comes next; the first was in the peer's record. */
    private int awaited = 1;

    /**
     * Begins without a place.
     *
     * @param table {@link #TABLE_LENGTH} octets that the peer may write to, all 0, in the order that its record of this end tells
     */
    RemotePlaces(ByteBuffer table) {
        this.table = table;
    }

    /** Octets of a table. */
    static final int TABLE_LENGTH = RsocketRecord.PLACES * RsocketRecord.Place.LENGTH;

    /** The first place, of the peer's record. */
    void begin(RsocketRecord.Place first) {
        put(0, first.address(), first.key(), first.length());
    }

    /** A word says that the table may have changed. */
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
        left[index] = length < 0 ? Integer.MAX_VALUE : length; // 32 bits without a sign
    }

    /** {@return how many bytes go to the present place; 0: there is none yet} */
    int room() {
        return left[current];
    }

    long address() {
        return addresses[current];
    }

    int key() {
        return keys[current];
    }

    /** Counts bytes that went there. */
    void use(int bytes) {
        addresses[current] += bytes;
        left[current] -= bytes;
        if (left[current] == 0) {
            current = (current + 1) % RsocketRecord.PLACES;
        }
    }
}
