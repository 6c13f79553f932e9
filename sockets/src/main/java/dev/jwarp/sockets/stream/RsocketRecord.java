package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The record of an rsocket in the private data of Request and Reply (librdmacm, {@code rs_conn_data}).
 *
 * <pre>
 *   0: version | 1: flags | 2: credits (2) | 4: reserved (3) | 7: entries of the I/O map, scaled
 *   8: places: address (8), key (4), length (4): how many
 *  24: first place: address (8), key (4), length (4): bytes
 * </pre>
 *
 * All fields are big-endian, whatever the byte order of the sender.
 *
 * @param bigEndian byte order of the sender's words, and of the entries of its table of places
 * @param credits initial credits for messages to the sender: 1 to 65,535
 * @param places the sender's table of places, which is followed by its I/O map; the length is that of the table, in
 *     places
 * @param data the sender's first place
 * @param mapEntries number of entries of the sender's I/O map
 */
record RsocketRecord(boolean bigEndian, int credits, Place places, Place data, int mapEntries) {
    /** Octets of a record; further octets are ignored. */
    static final int LENGTH = 40;

    static final int VERSION = 1;
    /** Places in a table; each has half of the receive memory. */
    static final int PLACES = 2;

    private static final int VERSION_OFFSET = 0;
    private static final int FLAGS_OFFSET = 1;
    private static final int CREDITS_OFFSET = 2;
    private static final int MAP_OFFSET = 7;
    private static final int PLACES_OFFSET = 8;
    private static final int DATA_OFFSET = 24;

    private static final int NET = 1;
    private static final int IOMAP = 2;
    private static final int SCALED = 0x80;
    private static final int SCALE_SHIFT = 8;

    /**
     * Memory that the peer of the sender may write to.
     *
     * <pre>
     *   0: address (8) | 8: key (4) | 12: length (4)
     * </pre>
     */
    record Place(long address, int key, int length) {
        static final int LENGTH = 16;
        static final int KEY_OFFSET = 8;
        static final int LENGTH_OFFSET = 12;

        static Place read(ByteBuffer buffer, int at) {
            return new Place(buffer.getLong(at), buffer.getInt(at + KEY_OFFSET), buffer.getInt(at + LENGTH_OFFSET));
        }

        void write(ByteBuffer buffer, int at) {
            write(buffer, at, address, key, length);
        }

        static void write(ByteBuffer buffer, int at, long address, int key, int length) {
            buffer.putLong(at, address).putInt(at + KEY_OFFSET, key).putInt(at + LENGTH_OFFSET, length);
        }
    }

    /** {@return whether private data may be a record} */
    static boolean looksLike(ByteBuffer told) {
        return told.remaining() >= LENGTH && told.get(told.position() + VERSION_OFFSET) == VERSION;
    }

    /**
     * Reads the record of a peer.
     *
     * @param told private data of the peer, from position to limit; neither is changed
     * @throws StreamException if the private data are not a record, or leave no room to send
     */
    static RsocketRecord read(ByteBuffer told) throws StreamException {
        if (StreamRecord.begins(told)) {
            throw StreamRecord.foreign(StreamRecord.protocol(told), StreamProtocol.RSOCKETS);
        }
        ByteBuffer record = told.slice().order(ByteOrder.BIG_ENDIAN);
        if (record.remaining() < LENGTH) {
            throw new StreamException(
                    PeerFault.RECORD_MISSING, record.remaining() + " bytes, and a record has " + LENGTH);
        }
        int version = record.get(VERSION_OFFSET) & 0xFF;
        if (version != VERSION) {
            throw new StreamException(PeerFault.RECORD_VERSION, version + ", not " + VERSION);
        }
        int flags = record.get(FLAGS_OFFSET);
        RsocketRecord read = new RsocketRecord(
                (flags & NET) != 0,
                record.getShort(CREDITS_OFFSET) & 0xFFFF,
                Place.read(record, PLACES_OFFSET),
                Place.read(record, DATA_OFFSET),
                (flags & IOMAP) == 0 ? 0 : unscaled(record.get(MAP_OFFSET) & 0xFF));
        if (read.credits == 0 || read.data.length <= 0 || read.places.length < PLACES) {
            throw new StreamException(
                    PeerFault.RECORD_WITHOUT_ROOM,
                    read.credits + " credits, " + read.data.length + " bytes, a table of " + read.places.length
                            + " places; a table has " + PLACES);
        }
        return read;
    }

    /** {@return the record as private data} */
    byte[] bytes() {
        ByteBuffer record = ByteBuffer.allocate(LENGTH);
        record.put(VERSION_OFFSET, (byte) VERSION)
                .put(FLAGS_OFFSET, (byte) (IOMAP | (bigEndian ? NET : 0)))
                .putShort(CREDITS_OFFSET, (short) credits)
                .put(MAP_OFFSET, (byte) scaled(mapEntries));
        places.write(record, PLACES_OFFSET);
        data.write(record, DATA_OFFSET);
        return record.array();
    }

    /** {@return the byte order of the sender's words} */
    ByteOrder order() {
        return bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    /** {@return a value up to 128 unchanged; a larger value as a multiple of 256} As {@code rs_value_to_scale}. */
    private static int scaled(int value) {
        return value <= SCALED ? value : SCALED | value >> SCALE_SHIFT;
    }

    private static int unscaled(int value) {
        return value <= SCALED ? value : (value & ~SCALED) << SCALE_SHIFT;
    }
}
