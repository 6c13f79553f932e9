package dev.jwarp.sockets.stream;

import java.nio.ByteBuffer;

/**
 * Memory of an end that the other end may read or write, as the body of a message: 32 octets.
 *
 * <pre>
 *   0: value of the word (8) | 8: position in the stream (8) | 16: address (8) | 24: key (4) | 28: octets (4)
 * </pre>
 *
 * @param word value of the word for this message
 * @param position number of bytes of the stream before the bytes of this memory
 * @param address of the first byte
 * @param key STag of the memory
 * @param length in bytes, 1 or more
 */
record DirectMemory(long word, long position, long address, int key, int length) {
    /** Octets of the body. */
    static final int BODY = 32;

    private static final int POSITION_OFFSET = 8;
    private static final int ADDRESS_OFFSET = 16;
    private static final int KEY_OFFSET = 24;
    private static final int LENGTH_OFFSET = 28;

    /** {@return the content of the body at {@code at}} */
    static DirectMemory read(ByteBuffer from, int at) {
        return new DirectMemory(
                from.getLong(at),
                from.getLong(at + POSITION_OFFSET),
                from.getLong(at + ADDRESS_OFFSET),
                from.getInt(at + KEY_OFFSET),
                from.getInt(at + LENGTH_OFFSET));
    }

    /** Writes the body at {@code at}. */
    void write(ByteBuffer to, int at) {
        to.putLong(at, word)
                .putLong(at + POSITION_OFFSET, position)
                .putLong(at + ADDRESS_OFFSET, address)
                .putInt(at + KEY_OFFSET, key)
                .putInt(at + LENGTH_OFFSET, length);
    }

    @Override
    public String toString() {
        return length + " bytes at " + position + " of the stream, with the word "
                + Long.toHexString(word); // without address and key, which must not appear in a log
    }
}
